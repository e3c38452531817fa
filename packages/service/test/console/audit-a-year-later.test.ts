import { expect, test } from 'vitest'
import { auditSentences } from '../../src/console/audit/audit-sentences.ts'
import { shownEntries } from '../../src/console/audit/shown-entries.ts'
import { asIs, translatorOf } from '../../src/console/texts/index.ts'
import { ensureSystemTenant } from '../../src/domain/operators/operators.ts'
import { pruneAudit } from '../../src/domain/writes/audit.ts'
import { SYSTEM_TENANT_ID } from '../../src/store/system-tenant.ts'
import {
  aConnection,
  anApiKey,
  anApplication,
  anAudit,
  aTenant,
  aUser,
  aWebhook,
} from '../store/records.ts'
import { type OpenApi, openApi } from '../support/context.ts'

const YEAR_MS = 365 * 86_400_000

const named = (name: string) => ({ profile: { name }, email: `${name}@x.test`.toLowerCase() })

/** A tenant with an object of every kind that entries name, and an operator who acts. */
async function filled({ context }: OpenApi) {
  const { store } = context
  await ensureSystemTenant({ context, actor: { name: 'admin' } })
  const tenant = aTenant({ name: 'Old tenant' })
  const of = tenant.id
  const user = aUser(of, named('Old'))
  const actor = aUser(SYSTEM_TENANT_ID, named('Olga'))
  const application = anApplication(of, { name: 'Old shop' })
  const connection = aConnection(of, { name: 'Old provider' })
  const webhook = aWebhook(of, { description: 'Old endpoint' })
  const key = anApiKey({ name: 'Old key' })
  const at = () => anAudit('test.fill')
  await store.tenants.insert(tenant, at())
  for (const one of [user, actor]) await store.users.insert(one, at())
  await store.applications.insert(application, at())
  await store.connections.insert(connection, at())
  await store.webhooks.insert(webhook, at())
  await store.apiKeys.insert(key, at())

  /** The object of an action, with its name at that time, if it has one. */
  const objects: Readonly<Record<string, readonly [target: string, name?: string]>> = {
    tenant: [of, 'Old tenant'],
    application: [application.id, 'Old shop'],
    connection: [connection.id, 'Old provider'],
    webhook: [webhook.id, 'Old endpoint'],
    api_key: [key.id, 'Old key'],
    operator: [actor.id, 'Olga (olga@x.test)'],
    credential: [`${user.id}/password`, 'Old (old@x.test)'],
    ...{ signing_key: ['kid-1'], job: ['job_1'], service: ['service'], logout_notice: ['ntc_1'] },
    'mail.given_up': ['message-1'],
    'tenant.free_domain': ['old.example'],
    ...{ 'user.import': [of], 'user.export': [of], 'user.exported': [of] },
    ...{ audit: [of], signup: [of] },
  }
  const objectOf = (action: string) =>
    objects[action] ?? objects[action.split('.')[0] ?? ''] ?? [user.id, 'Old (old@x.test)']

  async function rename(n: number): Promise<void> {
    const name = `New ${n}`
    const profile = { name, email: `new${n}@x.test` }
    const person = <T extends object>(before: T) => ({
      ...before,
      ...{ email: profile.email, emailKey: profile.email, profile: { name } },
    })
    await store.tenants.update(of, (before) => ({ ...before, name }), at())
    await store.users.update(of, user.id, person, at())
    await store.users.update(SYSTEM_TENANT_ID, actor.id, person, at())
    await store.applications.update(of, application.id, (one) => ({ ...one, name }), at())
    await store.connections.update(of, connection.id, (one) => ({ ...one, name }), at())
    await store.webhooks.update(of, webhook.id, (one) => ({ ...one, description: name }), at())
  }
  return { tenant, actor, objectOf, rename }
}

test('the sentence of every action of the audit log reads a year and three renames later as it did, with the names of its time', async () => {
  await using api = await openApi()
  const { context } = api
  const { store } = context
  const { tenant, actor, objectOf, rename } = await filled(api)
  const actions = Object.keys(auditSentences)
  for (const action of actions) {
    const [target] = objectOf(action)
    const tenantId = action.startsWith('operator.') ? SYSTEM_TENANT_ID : tenant.id
    await store.audit.append({
      ...anAudit(action),
      ...{ at: context.clock.now() * 1_000, tenantId, target, outcome: 'success' },
      ...{ actor: `operator:${actor.id}`, requestId: 'of the test' },
      ...{ fields: ['name'], changes: [{ name: 'name', before: 'before', after: 'after' }] },
    })
  }

  async function sentences(language: 'en' | 'de'): Promise<Map<string, string>> {
    const { t } = translatorOf(language)
    const entries = await store.audit.list({ requestId: 'of the test', limit: 1_000 })
    const shown = await shownEntries(context, entries)
    return new Map(
      shown.map(({ action, sentence, who, on, way, changes }) => [
        action,
        t(sentence, {
          ...{ who: who.label, on: on.label, way, action },
          changes: asIs(changes.map((one) => t(one)).join(', ')),
        }),
      ]),
    )
  }
  const before = await sentences('en')
  const german = await sentences('de')
  expect([...before.keys()].sort()).toEqual(actions.toSorted())

  for (const n of [1, 2, 3]) await rename(n)
  const later = { ...context, clock: { now: () => context.clock.now() + YEAR_MS } }
  await pruneAudit(later, 400)

  expect(await sentences('en')).toEqual(before)
  expect(await sentences('de')).toEqual(german)
  for (const [action, sentence] of before) {
    const [, name] = objectOf(action)
    const pattern = auditSentences[action] ?? ''
    if (name !== undefined && pattern.includes('{on}')) expect(sentence).toContain(name)
    if (pattern.includes('{who}')) expect(sentence).toContain('Olga (olga@x.test)')
    expect(sentence).not.toMatch(/\{\w+\}|New \d/)
    expect(german.get(action)).not.toMatch(/\{\w+\}|New \d/)
  }
})
