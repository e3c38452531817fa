import { consoleRoutes } from '../../src/console/routes.ts'
import type { ServedConsole } from './served.ts'
import { PASSWORD } from './served.ts'

/** The parts of paths, by their names in the route table. */
export type Ids = Readonly<Record<string, string>>

/** The path of a route with its parts filled in. */
export function pathWith(path: string, ids: Ids): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const id = ids[name]
    if (id === undefined) {
      throw new Error(
        `The route ${path} has the part ":${name}", for which there is no data. Add "${name}" to the ids ` +
          'that packages/service/test/console/sample.ts returns.',
      )
    }
    return id
  })
}

/** Every page of the console, files left out. */
export const pageRoutes = consoleRoutes.filter(
  ({ method, path }) => method === 'GET' && !path.endsWith('/export'),
)

/** A page by a name for its picture. */
export const nameOf = (path: string): string =>
  path
    .replace(/^\/console\/?/, '')
    .replaceAll('/', '-')
    .replaceAll(':', '') || 'overview'

const people = [
  'Ada Lovelace',
  'Grace Hopper',
  'Katherine Johnson',
  'Maximiliane-Charlotte von Hohenstein-Waldenburg',
  'Đặng Thị Ngọc Thịnh',
  'Ólafur Arnalds',
  '山田 太郎',
  'محمد الفارسي',
]

/** 60 characters without a space. */
const LONG = 'gartenbedarfsgrosshandelsgesellschaftsversicherungsangestell'

/** Text of stored fields; each is tried at its fields, and left out where a rule refuses it. */
export type Fill = (field: string, usual: string) => string

/**
 * Fills a console with a tenant that has something for every page, and one that has nothing.
 *
 * @param fill - Text to store in place of the usual one.
 */
export async function fillConsole(
  served: ServedConsole,
  fill: Fill = (_, usual) => usual,
): Promise<{ full: Ids; empty: Ids }> {
  const { service, call } = served
  const { admin } = service
  const domain = `acme-${Math.random().toString(36).slice(2, 8)}.localhost:${served.port}`
  const tenant = await admin.createTenant({
    domain,
    name: fill('tenant.name', 'Acme Garden Supplies'),
    settings: {
      companyName: fill('companyName', 'Acme Garden Supplies International Holding'),
      logoImageText: fill('logoImageText', 'Acme'),
      supportEmail: 'help@acme.example',
      developerMode: true,
      allowTotpApp: true,
    },
  })
  const empty = await admin.createTenant({
    domain: `empty-${domain}`,
    name: fill('tenant.name', 'Initech'),
  })
  const base = `/v1/tenants/${tenant.id}`
  const application = await call('POST', `${base}/applications`, {
    name: fill('application.name', 'Garden Shop'),
    redirect_urls: [
      'https://shop.acme.example/callback',
      `https://staging.shop.acme.example/${LONG}`,
    ],
    logout_urls: ['https://shop.acme.example/'],
    login_url: 'https://shop.acme.example/login',
    metadata: {
      [fill('metadata.key', 'team')]: fill('metadata.value', 'Storefront, reached at #shop'),
    },
  })
  for (const name of ['Wholesale portal', 'Delivery drivers', `The ${LONG} of Acme`]) {
    await call('POST', `${base}/applications`, { name, redirect_urls: [] })
  }
  const email = 'ada.lovelace@example.com'
  const profile = {
    email,
    email_verified: true,
    name: fill('user.name', 'Ada Lovelace'),
    given_name: fill('user.name', 'Ada'),
    family_name: fill('user.name', 'Lovelace'),
    nickname: fill('user.name', 'ada'),
    locale: 'en',
  }
  const user = await call('POST', `${base}/users`, { profile })
  await call('POST', `${base}/users/${user.id}/credentials`, {
    password: { alg: 'plain', hash: PASSWORD },
  })
  await addUsers(served, domain, fill)
  await admin.giveAuthenticatorApp(tenant.id, user.id)
  const connection = await admin.createConnection(tenant.id, {
    recipe: 'oidc',
    name: fill('connection.name', 'Acme Identity Management'),
    issuer: 'https://id.acme.example',
    clientId: fill('clientId', 'garden-shop'),
    secret: 'a secret of the provider',
  } as never)
  for (const name of ['Nightly export', `Import from the ${LONG}`]) {
    await admin.createApiKey({ name: fill('key.name', name), reach: [tenant.id] })
  }
  const { key } = await admin.createApiKey({ name: fill('key.name', 'Old'), reach: [tenant.id] })
  await admin.revokeApiKey(key.id)
  const mail = await call('POST', `/x${base}/users/${user.id}/mails`, { kind: 'reset' })
  const { operator } = await admin.inviteOperator({
    email: `countess-${tenant.id.slice(-6).toLowerCase()}@example.com`,
    role: 'admin',
    reach: [tenant.id],
  })
  const [entry] = await admin.audit({ tenantId: tenant.id, limit: 1 })
  return {
    full: {
      tenant: tenant.id,
      user: user.id,
      application: application.id,
      connection: connection.id,
      operator: operator.id,
      key: key.id,
      mail: mail.id,
      entry: String(entry?.id),
    },
    empty: { tenant: empty.id },
  }
}

/** More users than a page has. */
async function addUsers({ service }: ServedConsole, domain: string, fill: Fill): Promise<void> {
  const users = Array.from({ length: 60 }, (_, index) => ({
    profile: {
      email: index === 3 ? `${LONG}@${LONG.slice(0, 50)}.example` : `user-${index}@example.com`,
      email_verified: index % 5 !== 2,
      name: fill('user.name', people[index % people.length] as string),
    },
    disabled: index % 7 === 4,
  }))
  await service.admin.seed({ tenants: [{ settings: { domain }, users }] })
}
