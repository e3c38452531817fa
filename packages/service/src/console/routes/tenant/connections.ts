import { callbackPathOf, sharingCallback } from '../../../domain/connections/callback-paths.ts'
import {
  type Recipe,
  recipeNamed,
  recipes,
} from '../../../domain/connections/connection-recipes.ts'
import {
  type ConnectionChanges,
  type ConnectionInput,
  changedConnection,
  countConnected,
  createConnection,
  futureCallbackPath,
  getConnection,
  listConnections,
  newConnection,
  type ProviderInput,
  updateConnection,
} from '../../../domain/connections/connections.ts'
import type { ContactResult } from '../../../domain/operators/support.ts'
import { ServiceError } from '../../../domain/writes/errors.ts'
import { issuerUrl } from '../../../issuer/requests/issuer-url.ts'
import { type Connection, type RecipeName, recipeNames } from '../../../store/records.ts'
import {
  type Call,
  type ConsoleRoute,
  type Result,
  redirectTo,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../../calls/call.ts'
import {
  type Filled,
  type FormValues,
  filledBefore,
  filledFrom,
  isStale,
  mergedForm,
} from '../../forms/concurrent-edits.ts'
import { shellWord } from '../../forms/form-fields.ts'
import { type Refused, refusedBy } from '../../forms/refused.ts'
import type { ConnectionDraft } from '../../pages/index.ts'
import { asIs, many, message, type Sentence, type Text } from '../../texts/index.ts'

const PATH = '/connections'
const ONE = `${PATH}/:connection`

export const connectionRoutes: readonly ConsoleRoute[] = [
  tenantPage(PATH, showConnections),
  // The page itself needs a recent login, so that the operator enters the secret after it.
  tenantPage(`${PATH}/add/:recipe`, (call) => showAdd(call), { needs: 'edit', isDangerous: true }),
  tenantForm(`${PATH}/add/:recipe`, add, { isDangerous: true }),
  tenantPage(ONE, (call) => showConnection(call)),
  tenantForm(ONE, change, { isDangerous: true }),
  tenantForm(`${ONE}/secret`, replaceSecret, { needs: 'secrets', isDangerous: true }),
  tenantForm(`${ONE}/test`, tryOut),
  tenantForm(`${ONE}/enable`, enable, { isDangerous: true }),
  tenantForm(`${ONE}/own-callback`, switchCallback, { isDangerous: true }),
]

const listOf = ({ ids }: Call) => `/console/t/${ids.tenant}${PATH}`
const pathOf = (call: Call) => `${listOf(call)}/${call.ids.connection}`

/** A form that was refused, and is shown again. */
interface Returned extends Required<Refused>, Form {}

/** A form that is shown again. */
interface Form {
  readonly draft: ConnectionDraft
  /** The stored fields that differ from the draft, if another person has changed the connection. */
  readonly theirs?: Readonly<Record<string, string>>
  /** The filling of a form that was merged with the stored values. */
  readonly filled?: Filled
  /** Whether the form offers to save the connection although its provider does not answer. */
  readonly mayInsist?: boolean
}

async function showConnections(call: TenantCall): Promise<Result> {
  const { scope, tenant } = call
  const connections = await listConnections(scope)
  return {
    kind: 'page',
    name: 'connections',
    title: 'Connections',
    tenant,
    data: {
      connections,
      sharing: sharingCallback(connections),
      recipes: recipeNames.map((name) => ({ name, label: labels[name] })),
      isOffered: tenant.settings.allowSocial,
      base: listOf(call),
    },
    commands: [`latchkey-service connection list --tenant ${tenant.id}`],
  }
}

const labels: Readonly<Record<RecipeName, Text>> = {
  google: asIs('Google'),
  microsoft: asIs('Microsoft'),
  apple: asIs('Apple'),
  gitlab: asIs('GitLab'),
  github: asIs('GitHub'),
  oidc: 'Any OpenID provider',
}

/** The fields of a form that only some recipes have. */
const optionFields: Readonly<
  Record<Recipe['options'][number], { label: Sentence; hint: Sentence }>
> = {
  issuer: { label: 'Issuer', hint: 'Such as https://login.example.com, as the provider names it.' },
  directory: { label: 'Directory', hint: 'The id of your Entra directory (tenant), a GUID.' },
  teamId: { label: 'Team id', hint: 'Of your Apple developer account.' },
  keyId: { label: 'Key id', hint: 'Of the private key that Apple has given you.' },
}

async function showAdd(call: TenantCall, returned?: Form & Partial<Refused>): Promise<Result> {
  const name = recipeOf(call)
  const recipe = recipes[name]
  const { tenant } = call
  const given = `--tenant ${tenant.id} --recipe ${name}`
  const draft = returned?.draft ?? {
    name: recipe.name,
    scopes: recipe.scopes.join(' '),
    allowSignup: 'true',
  }
  return {
    kind: 'page',
    name: 'connection-add',
    title: message('Add {provider}', { provider: labels[name] }),
    tenant,
    data: {
      isApple: name === 'apple',
      options: recipe.options.map((option) => ({
        name: option,
        isRequired: !(option === 'issuer' && recipe.issuer !== undefined),
        default: option === 'issuer' ? recipe.issuer : undefined,
        ...optionFields[option],
      })),
      draft,
      redirectUri: futureRedirectUri(call, providerIn(name, draft)),
      isProviderOpen: providerOptions(name).length > 0,
      mayInsist: returned?.mayInsist ?? false,
      action: `${listOf(call)}/add/${name}`,
    },
    commands: [
      `latchkey-service connection add ${given} --client-id your-client-id --secret-file ${name}.secret${examples[name]}`,
    ],
    problem: returned?.problem,
    status: returned?.status ?? 200,
  }
}

/** The options that determine the provider of a connection by this recipe. */
function providerOptions(recipe: RecipeName): ('issuer' | 'directory')[] {
  const { options } = recipes[recipe]
  return (['issuer', 'directory'] as const).filter((name) => options.includes(name))
}

function providerIn(recipe: RecipeName, draft: ConnectionDraft): ProviderInput {
  const given = providerOptions(recipe).map((name) => [name, draft[name]?.trim()])
  return { recipe, ...Object.fromEntries(given) }
}

/** The redirect URI of a new connection; `undefined` while its form names no provider. */
function futureRedirectUri(call: TenantCall, provider: ProviderInput): string | undefined {
  try {
    return redirectUriAt(call, futureCallbackPath(provider))
  } catch (error) {
    if (error instanceof ServiceError) return undefined
    throw error
  }
}

/** The command-line options that each recipe needs, with example values. */
const examples: Readonly<Record<RecipeName, string>> = {
  google: '',
  microsoft: ' --directory 00000000-0000-0000-0000-000000000000',
  apple: ' --team-id TEAM123456 --key-id KEY1234567',
  gitlab: '',
  github: '',
  oidc: ' --issuer https://login.example.com',
}

async function add(call: TenantCall): Promise<Result> {
  const { scope, form } = call
  const recipe = recipeOf(call)
  const of = (name: string) => (form.get(name) ?? '').trim()
  try {
    if (form.has('show')) {
      futureCallbackPath(providerIn(recipe, draftIn(form)))
      return showAdd(call, { draft: draftIn(form) })
    }
    const options = recipes[recipe].options.map((name) => [name, of(name) || undefined])
    const input: ConnectionInput = {
      recipe,
      ...Object.fromEntries(options),
      name: of('name'),
      clientId: of('clientId'),
      secret: form.get('secret') ?? '',
      scopes: wordsOf(of('scopes')),
      trustEmail: of('trustEmail') === 'true',
      allowSignup: of('allowSignup') === 'true',
    }
    const unanswered = await contactOf(call, newConnection(scope, input))
    if (unanswered) return showAdd(call, { ...unanswered, draft: draftIn(form) })
    const { id } = await createConnection(scope, input)
    return redirectTo(`${listOf(call)}/${id}`, 'created')
  } catch (error) {
    return showAdd(call, returnedBy(error, form))
  }
}

async function showConnection(
  call: TenantCall,
  refused?: Returned,
  contact?: ContactResult,
): Promise<Result> {
  const { scope, ids, tenant } = call
  const [connection, users] = await Promise.all([
    getConnection(scope, ids.connection ?? ''),
    countConnected(scope, ids.connection ?? ''),
  ])
  const { sealedSecret: _, ...shown } = connection
  const isKept = refused !== undefined && refused.theirs === undefined
  const now = isKept
    ? filledBefore(call.form)
    : filledFrom(connection, valuesOf(draftOf(connection)))
  const given = `${connection.id} --tenant ${tenant.id}`
  return {
    kind: 'page',
    name: 'connection',
    title: asIs(connection.name),
    tenant,
    data: {
      connection: shown,
      contact,
      mayInsist: refused?.mayInsist ?? false,
      label: labels[connection.recipe],
      users: many(
        users,
        '1 user has connected an account',
        '{count} users have connected an account',
      ),
      isOffered: tenant.settings.allowSocial,
      draft: refused?.draft ?? draftOf(connection),
      theirs: refused?.theirs ?? {},
      ...(refused?.filled ?? now),
      redirectUri: redirectUriAt(call, callbackPathOf(connection)),
      ownRedirectUri: redirectUriAt(call, callbackPathOf({ ...connection, ownCallback: true })),
      base: pathOf(call),
    },
    commands: [
      `latchkey-service connection update ${given} --name ${shellWord(connection.name)}`,
      `latchkey-service connection update ${given} ${connection.enabled ? '--no-enabled' : '--enabled'}`,
      ...(connection.ownCallback
        ? []
        : [`latchkey-service connection update ${given} --own-callback`]),
      `latchkey-service connection remove ${given} --yes`,
    ],
    problem: refused?.problem,
    status: refused?.status ?? 200,
  }
}

async function change(call: TenantCall): Promise<Result> {
  const { scope, ids, form } = call
  const id = ids.connection ?? ''
  const of = (name: string) => (form.get(name) ?? '').trim()
  const stored = await getConnection(scope, id)
  if (isStale(form, stored)) return showMeanwhile(call)
  try {
    const changes: ConnectionChanges = {
      name: of('name'),
      clientId: of('clientId'),
      scopes: wordsOf(of('scopes')),
      trustEmail: of('trustEmail') === 'true',
      allowSignup: of('allowSignup') === 'true',
      ...(form.has('keyId') && { keyId: of('keyId') }),
    }
    const changed = changedConnection(scope.context, stored, changes)
    const unanswered = await contactOf(call, changed)
    if (unanswered) return showConnection(call, { ...unanswered, draft: draftIn(form) })
    await updateConnection(scope, id, changes, stored.updatedAt)
    return redirectTo(pathOf(call), 'saved')
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'conflict') return showMeanwhile(call)
    return showConnection(call, returnedBy(error, form))
  }
}

/**
 * Shows the form again after another person has changed the connection, with the submitted and the
 * stored values.
 */
async function showMeanwhile(call: TenantCall): Promise<Result> {
  const { scope, ids, form } = call
  const connection = await getConnection(scope, ids.connection ?? '')
  const stored = valuesOf(draftOf(connection))
  const sent = Object.keys(stored.fields).map((name) => [name, sentValue(form, name)])
  const values = valuesOf(Object.fromEntries(sent))
  const { kept, shown } = mergedForm(form, values, connection, stored)
  return showConnection(call, { draft: kept.fields, ...shown })
}

/** A field of the submitted form. A box that is not checked is `false`. */
function sentValue(form: URLSearchParams, name: string): string {
  if (name === 'trustEmail' || name === 'allowSignup') return String(form.get(name) === 'true')
  return (form.get(name) ?? '').trim()
}

function valuesOf(fields: ConnectionDraft): FormValues {
  return { fields, metadata: [] }
}

async function replaceSecret(call: TenantCall): Promise<Result> {
  const { scope, ids, form } = call
  try {
    await updateConnection(scope, ids.connection ?? '', { secret: form.get('secret') ?? '' })
    return redirectTo(pathOf(call), 'saved')
  } catch (error) {
    const { problem, status } = returnedBy(error, form)
    const draft = draftOf(await getConnection(scope, ids.connection ?? ''))
    return showConnection(call, { draft, theirs: {}, problem, status })
  }
}

async function enable(call: TenantCall): Promise<Result> {
  await updateConnection(call.scope, call.ids.connection ?? '', { enabled: true })
  return redirectTo(pathOf(call), 'connection-enabled')
}

async function switchCallback(call: TenantCall): Promise<Result> {
  await updateConnection(call.scope, call.ids.connection ?? '', { ownCallback: true })
  return redirectTo(pathOf(call), 'saved')
}

function recipeOf({ ids }: Call): RecipeName {
  return recipeNamed(ids.recipe ?? '')
}

function draftOf(connection: Connection): ConnectionDraft {
  return {
    name: connection.name,
    clientId: connection.clientId,
    scopes: connection.scopes.join(' '),
    trustEmail: String(connection.trustEmail),
    allowSignup: String(connection.allowSignup),
    ...(connection.apple && { keyId: connection.apple.keyId }),
  }
}

/** The submitted form without the secret, and the reason of the refusal. */
function returnedBy(error: unknown, form: URLSearchParams): Returned {
  return { draft: draftIn(form), ...refusedBy(error) }
}

/** The submitted fields of a form, without the secret. */
function draftIn(form: URLSearchParams): ConnectionDraft {
  const { secret: _, ...draft } = Object.fromEntries(form)
  return draft
}

/**
 * Contacts the provider of a connection before it is saved. Returns a refusal if the provider does
 * not answer, and `undefined` if it does, or if the operator has chosen to save the connection
 * anyway. The refusal offers this choice unless the service sends no requests to the provider's
 * address, which no choice can change.
 */
async function contactOf(
  { support, form }: TenantCall,
  connection: Connection,
): Promise<Omit<Returned, 'draft'> | undefined> {
  const contact = await support.contact(connection)
  if (contact.kind === 'answered') return undefined
  if (form.get('anyway') === 'yes' && !contact.isRefused) return undefined
  const problem = message('Nothing was saved: {issuer} does not answer as a provider. {reason}', {
    issuer: connection.issuer,
    reason: typeof contact.reason === 'string' ? asIs(contact.reason) : contact.reason,
  })
  return { problem, status: 422, mayInsist: !contact.isRefused }
}

/** Contacts the provider of a stored connection, and shows the result. */
async function tryOut(call: TenantCall): Promise<Result> {
  const connection = await getConnection(call.scope, call.ids.connection ?? '')
  return showConnection(call, undefined, await call.support.contact(connection))
}

function redirectUriAt({ scope, tenant: { settings } }: TenantCall, path: string): string {
  const { allowLoopback } = scope.context.domains
  const issuer = issuerUrl(settings.domain, { allowHttpOnLoopback: allowLoopback })
  return `${issuer}${path}`
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
