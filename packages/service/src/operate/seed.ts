import { z } from 'zod'
import { createApplication, listApplications } from '../domain/applications/applications.ts'
import { recipeNamed, recipes } from '../domain/connections/connection-recipes.ts'
import { createConnection, listConnections } from '../domain/connections/connections.ts'
import { canonicalDomain } from '../domain/tenants/domain-names.ts'
import { createTenant, findTenant } from '../domain/tenants/tenants.ts'
import { createCredential } from '../domain/users/credentials.ts'
import { createUser, findUser } from '../domain/users/users.ts'
import type { Scope, ServiceScope } from '../domain/writes/context.ts'
import { ServiceError } from '../domain/writes/errors.ts'
import { nearestName } from '../domain/writes/nearest-name.ts'
import { tenantSettings } from '../resources/tenant-settings.ts'
import type { Tenant } from '../store/records.ts'
import { applicationInput } from '../wire/applications.ts'
import { passwordInput } from '../wire/credentials.ts'
import { applicationBody, credentialBody, tenantBody, userBody } from '../wire/schemas.ts'
import { sentencesOf } from '../wire/sentences.ts'
import { tenantInput } from '../wire/tenants.ts'
import { userInput } from '../wire/users.ts'

const settingSchemas: Readonly<Record<string, z.ZodType>> = tenantBody.shape.settings.shape

/** The settings of a tenant in a seed. A missing setting gets the default of a new tenant. */
const seedSettings = tenantBody.shape.settings.extend(
  Object.fromEntries(
    tenantSettings.flatMap(({ name, initial }) =>
      initial === undefined ? [] : [[name, settingSchemas[name]?.default(initial)]],
    ),
  ) as Record<never, z.ZodType>,
)

const seedConnection = z.looseObject({
  recipe: z.string(),
  name: z.string().optional(),
  client_id: z.string(),
  secret: z.string(),
  issuer: z.string().optional(),
  directory: z.string().optional(),
  team_id: z.string().optional(),
  key_id: z.string().optional(),
  scopes: z.array(z.string()).optional(),
  trust_email: z.boolean().optional(),
  allow_signup: z.boolean().optional(),
  enabled: z.boolean().optional(),
})

const seedDocument = z.strictObject({
  tenants: z.array(
    tenantBody.extend({
      settings: seedSettings,
      applications: z.array(applicationBody).default([]),
      connections: z.array(seedConnection).default([]),
      users: z
        .array(userBody.extend({ password: credentialBody.shape.password.optional() }))
        .default([]),
    }),
  ),
})

type SeedTenant = z.output<typeof seedDocument>['tenants'][number]

/** The number of objects that a seed has created. Existing objects are not changed. */
export interface SeedReport {
  tenants: number
  applications: number
  connections: number
  users: number
}

/**
 * Creates the objects of a document that do not exist yet. Tenants are compared by domain,
 * applications and connections by name, users by email address. Members are written as in the
 * management API; a user may have a `password` with `alg` and `hash`. Settings that are not given
 * have their defaults.
 *
 * @throws ServiceError `invalid_request` when the document has another shape; then nothing is
 *   written.
 */
export async function seed(scope: ServiceScope, document: unknown): Promise<SeedReport> {
  const parsed = seedDocument.safeParse(document)
  if (!parsed.success) {
    throw new ServiceError(
      'invalid_request',
      `The seed is refused: ${sentencesOf(parsed.error.issues, document)}`,
    )
  }
  for (const { connections } of parsed.data.tenants) connections.forEach(checkConnection)
  const report: SeedReport = { tenants: 0, applications: 0, connections: 0, users: 0 }
  for (const entry of parsed.data.tenants) {
    const { id: tenantId } = await seedTenant(scope, entry, report)
    await seedApplications({ ...scope, tenantId }, entry, report)
    await seedConnections({ ...scope, tenantId }, entry, report)
    await seedUsers({ ...scope, tenantId }, entry, report)
  }
  return report
}

async function seedTenant(
  scope: ServiceScope,
  entry: SeedTenant,
  report: SeedReport,
): Promise<Tenant> {
  const domain = canonicalDomain(entry.settings.domain)
  const existing = await findTenant(scope, domain)
  if (existing) return existing

  report.tenants++
  return createTenant(scope, tenantInput(entry))
}

async function seedApplications(
  scope: Scope,
  { applications }: SeedTenant,
  report: SeedReport,
): Promise<void> {
  if (applications.length === 0) return
  const { items } = await listApplications(scope, { after: undefined, limit: 1_000 })
  const names = new Set(items.map(({ name }) => name))
  for (const body of applications) {
    if (names.has(body.name)) continue
    await createApplication(scope, applicationInput(body))
    report.applications++
  }
}

/**
 * Refuses an unknown recipe, and unknown fields: a mistyped field would silently have no effect.
 */
function checkConnection(connection: SeedTenant['connections'][number]): void {
  recipeNamed(connection.recipe)
  const known = Object.keys(seedConnection.shape)
  const unknown = Object.keys(connection).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const nearest = nearestName(unknown, known)
  const hint = nearest ? ` Did you mean "${nearest}"?` : ''
  throw new ServiceError(
    'invalid_request',
    `The seed is refused: "${unknown}" is no member of a connection.${hint}`,
  )
}

async function seedConnections(
  scope: Scope,
  { connections }: SeedTenant,
  report: SeedReport,
): Promise<void> {
  if (connections.length === 0) return
  const names = new Set((await listConnections(scope)).map(({ name }) => name))
  for (const one of connections) {
    const { client_id: clientId, team_id: teamId, key_id: keyId } = one
    const { trust_email: trustEmail, allow_signup: allowSignup } = one
    const { recipe, secret, issuer, directory, scopes, enabled } = one
    const name = one.name ?? recipes[recipeNamed(recipe)].name
    if (names.has(name)) continue
    await createConnection(scope, {
      ...{ recipe, name, clientId, secret, issuer, directory, teamId, keyId, scopes },
      ...{ trustEmail, allowSignup, enabled },
    })
    report.connections++
  }
}

async function seedUsers(scope: Scope, { users }: SeedTenant, report: SeedReport): Promise<void> {
  for (const { password, ...body } of users) {
    if (await findUser(scope, body.profile.email)) continue
    const user = await createUser(scope, userInput(body))
    report.users++
    if (!password) continue
    const input = passwordInput({ disabled: false, metadata: {}, password })
    await createCredential(scope, user.id, input)
  }
}
