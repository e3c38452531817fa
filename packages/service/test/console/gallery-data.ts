import type { IdentityService } from '@latchkey/service'
import { addWebhook } from './support.ts'

/** Ids of the objects that the paths of the console name. */
export type Ids = Readonly<Record<string, string>>

/** A text in every field of the data, or the text that the data has of itself. */
export type Say = (natural: string, field: string) => string

const people = [
  ['Grace Hopper', 'grace.hopper'],
  ['Alan Turing', 'alan.turing'],
  ['Zoë Ångström', 'zoe'],
  ['山田 太郎', 'taro.yamada'],
  ['Maximiliane Freifrau von Gartenbedarfsgroßhandelsgesellschaft', 'm.freifrau-von-gartenbedarf'],
  ['Μαρία Παπαδοπούλου', 'maria'],
  ['José María de la Cruz', 'jm.delacruz'],
  ['', 'no-name'],
] as const

/**
 * Fills a service with a tenant whose lists are long, and one whose lists are empty, through the doors that
 * others use: the seed file and the API of a process.
 *
 * @param say - Decides the text of each field.
 */
export async function fillConsole(
  service: IdentityService,
  say: Say = (natural) => natural,
): Promise<Ids> {
  const { admin } = service
  const domain = say('login.acme.example', 'tenant.domain')
  const tenant = await admin.createTenant({
    domain,
    name: say('Acme Garden Supplies', 'tenant.name'),
    settings: {
      companyName: say('Acme Garden Supplies Ltd', 'tenant.company'),
      supportEmail: 'help@acme.example',
      allowTotpApp: true,
      allowSocial: true,
    },
  })
  const empty = await admin.createTenant({ domain: 'login.globex.example', name: 'Globex' })
  await admin.createTenant({ domain: 'id.initech.example' })
  const users = Array.from({ length: 60 }, (_, i) => {
    const [name, box] = people[i % people.length] ?? ['', '']
    return {
      profile: {
        email: say(`${box}${i < people.length ? '' : i}@example.com`, 'user.email'),
        ...(name && { name: say(name, 'user.name') }),
        ...(name && { given_name: say(name.split(' ')[0] ?? '', 'user.given_name') }),
        ...(i % 3 === 0 && { website: say('https://example.com', 'user.website') }),
        email_verified: i % 4 !== 1,
      },
      disabled: i % 11 === 5,
    }
  })
  const applications = ['Garden Shop', 'Wholesale portal', 'Back office'].map((name, i) => ({
    name: say(name, 'application.name'),
    redirect_urls: [`https://shop-${i}.acme.example/callback`],
    metadata: { crm: say('4711', 'application.metadata') },
  }))
  await admin.seed({ tenants: [{ settings: { domain }, applications, users }] })
  const { key } = await admin.createApiKey({
    name: say('Nightly export', 'key.name'),
    reach: 'all',
  })
  const { key: own } = await admin.createApiKey({
    name: say('Continuous integration', 'key.name'),
    reach: [tenant.id],
    readOnly: true,
  })
  const connection = await admin.createConnection(tenant.id, {
    recipe: 'google',
    name: say('Google Workspace', 'connection.name'),
    clientId: 'acme-console',
    secret: 'secret of the connection',
  })
  const entries = await admin.audit({ tenantId: tenant.id, limit: 1_000 })
  const oldest = (action: string) => entries.findLast((entry) => entry.action === action)?.target
  const user = oldest('user.create') ?? ''
  const made = entries.filter(({ action }) => action === 'user.create').toReversed()
  await admin.giveAuthenticatorApp(tenant.id, user)
  const spare = await admin.inviteOperator({
    email: say('bob@example.com', 'operator.email'),
    role: 'viewer',
  })
  const webhook = await addWebhook(service, tenant.id, {
    url: 'https://shop.invalid/webhooks/latchkey',
    description: say('Table of members', 'webhook.description'),
  })
  return {
    tenant: tenant.id,
    webhook,
    empty: empty.id,
    user,
    long: made[4]?.target ?? '',
    application: oldest('application.create') ?? '',
    operator: spare.operator.id,
    key: key.id,
    own: own.id,
    connection: connection.id,
    recipe: 'apple',
    credential: 'totp_app',
    entry: String((await admin.audit({ limit: 1 }))[0]?.id),
  }
}
