import { describe, expect, test, vi } from 'vitest'
import { createBrowser } from '../issuer/support/browser.ts'
import {
  type OperatorBrowser,
  on,
  press,
  sendChanges,
  sendForm,
  startConsole,
  stores,
  textOf,
} from './support.ts'
import { aTenant } from './tenant.ts'

const DAY = 86_400_000

/** A tenant with Ada, whose address an admin has changed, and a second admin. */
async function startAtMove(store: (typeof stores)[number], settings: object = {}) {
  let ahead = 0
  const running = await startConsole({ ...on(store), clock: { now: () => Date.now() + ahead } })
  const { service } = running
  const tenant = await aTenant(running, settings)
  const ada = await tenant.addUser()
  const mallory = await running.logIn({ role: 'admin' })
  const other = await running.logIn({ role: 'admin' })
  const path = `${tenant.path}/users/${ada.id}`
  const api = `/v1/tenants/${tenant.id}/users/${ada.id}`
  const move = (by: OperatorBrowser, email: string) =>
    sendForm(
      by,
      `${path}/edit/save`,
      { email, name: '', given_name: '', family_name: '' },
      `${path}/edit`,
    )
  await move(mallory, 'mallory@example.com')
  const act = async (by: OperatorBrowser, action: string, fields: Record<string, string> = {}) =>
    press(by, await by.get(path), `${path}/${action}`, fields)
  const mailsTo = async (address: string) =>
    (await service.outbox.list(tenant.id)).filter(({ to }) => to === address)
  const visitor = () =>
    createBrowser({ url: `https://${tenant.domain}`, fetch: service.fetch as never })
  return {
    ...{ running, tenant, ada, mallory, other, path, api, act, move, mailsTo, visitor },
    stored: async () => (await tenant.call('GET', api)).body,
    entries: () => service.admin.audit({ target: ada.id }),
    pass: (milliseconds: number) => {
      ahead += milliseconds
    },
  }
}

/** The path of the link in a message. */
const linkIn = (text = '') => {
  const { pathname, search } = new URL(/https:\S+/.exec(text)?.[0] ?? 'https://none.example/')
  return `${pathname}${search}`
}

/** The first mail, once there is one: a job sends the message about a changed address. */
const firstOf = async <T>(mails: Promise<T[]>): Promise<T | undefined> => (await mails)[0]

describe.each(stores)('on %s, an operator who has changed an address', (store) => {
  test('cannot mark it as verified, send a link there or remove a way to log in; another operator can verify it', async () => {
    const at = await startAtMove(store)
    await using _ = at.running
    const { mallory, other, act, stored, entries, path } = at
    const verified = await act(mallory, 'verify')
    expect(verified.status).toBe(403)
    expect(textOf(verified.html)).toContain('another operator')
    expect((await stored()).profile.email_verified).toBeFalsy()
    for (const kind of ['reset', 'verify']) {
      expect((await act(mallory, 'mail', { kind })).status).toBe(409)
    }
    expect((await act(mallory, 'ways/password/remove')).status).toBe(403)
    expect(textOf((await mallory.get(path)).html)).toContain('no second operator has confirmed it')
    expect((await act(other, 'verify')).status).toBe(303)
    expect((await stored()).profile.email_verified).toBe(true)
    expect((await act(mallory, 'mail', { kind: 'reset' })).status).toBe(303)
    const actions = (await entries()).map(({ action, actor, outcome }) => [action, actor, outcome])
    expect(actions).toContainEqual(['user.update', `operator:${mallory.id}`, 'success'])
    expect(actions).toContainEqual(['not_permitted', `operator:${mallory.id}`, 'refused'])
    expect(actions).toContainEqual(['user.verify', `operator:${other.id}`, 'success'])
  })

  test('gets no way in by a message of the login page, until another operator or a day has passed', async () => {
    const at = await startAtMove(store)
    await using _ = at.running
    const { visitor, mailsTo, pass, other, tenant } = at
    async function askForReset() {
      const browser = visitor()
      const form = await browser.get('/reset')
      await browser.submit(form, { email: 'mallory@example.com' })
      return browser
    }
    await askForReset()
    const [held] = await mailsTo('mallory@example.com')
    expect(held?.text).toContain('second person')
    expect(held?.text).not.toContain('/reset?')
    const answer = await tenant.call('POST', `/x${at.api}/mails`, { kind: 'reset' })
    expect(answer).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(textOf((await other.get(at.path)).html)).toContain('second operator')
    pass(DAY + 1_000)
    const browser = await askForReset()
    const link = (await mailsTo('mallory@example.com')).find(({ text }) => text.includes('/reset?'))
    expect((await browser.get(linkIn(link?.text))).html).toContain('name="password"')
  })

  test('cannot get round that by another edit, a disabled user, the end of all sessions, or a link from before', async () => {
    const at = await startAtMove(store)
    await using _ = at.running
    const { mallory, act, move, stored } = at
    await act(mallory, 'disable')
    await act(mallory, 'enable')
    await act(mallory, 'end-sessions')
    expect((await act(mallory, 'verify')).status).toBe(403)
    await move(mallory, 'mallory2@example.com')
    expect((await act(mallory, 'verify')).status).toBe(403)
    const outcomes = await Promise.all([
      move(mallory, 'mallory3@example.com'),
      act(mallory, 'verify'),
      act(mallory, 'verify'),
    ])
    expect(outcomes.map(({ status }) => status).slice(1)).toEqual([403, 403])
    expect((await stored()).profile.email_verified).toBeFalsy()
  })

  test('is contested by the reader of the old address: the account is locked until another operator decides, or it goes back', async () => {
    const at = await startAtMove(store)
    await using _ = at.running
    const { mallory, other, act, mailsTo, visitor, stored, entries, ada } = at
    const told = await vi.waitUntil(() => firstOf(mailsTo(ada.email)))
    expect(told?.text).toContain('mallory@example.com')
    const path = linkIn(told?.text)
    expect(path).toMatch(/^\/contest\?token=/)
    // The operator’s own acts do not void the link.
    await act(mallory, 'end-sessions')
    const browser = visitor()
    const page = await browser.get(path)
    expect(page.html).toContain(
      `The support has changed the address of the account of ${ada.email}`,
    )
    const done = await browser.submit(page, {})
    expect(done.status).toBe(200)
    expect(await stored()).toMatchObject({ disabled: true })
    const [contested] = await mailsTo('mallory@example.com')
    expect(contested?.text).toContain('The support has changed the address of your account to this')
    expect((await entries())[0]).toMatchObject({ action: 'user.contest' })
    await act(mallory, 'end-sessions')
    expect((await act(mallory, 'enable')).status).toBe(403)
    expect((await act(other, 'enable')).status).toBe(303)
    expect((await stored()).disabled).toBeFalsy()
  })

  test('cannot enable a contested user, and can give the address back', async () => {
    const at = await startAtMove(store)
    await using _ = at.running
    const { mallory, act, move, mailsTo, visitor, stored, ada } = at
    const browser = visitor()
    const told = await vi.waitUntil(() => firstOf(mailsTo(ada.email)))
    await browser.submit(await browser.get(linkIn(told?.text)), {})
    expect(textOf((await mallory.get(at.path)).html)).toContain('two people claim the account')
    expect((await act(mallory, 'enable')).status).toBe(403)
    expect(await stored()).toMatchObject({ disabled: true })
    await move(mallory, ada.email)
    expect((await act(mallory, 'enable')).status).toBe(303)
    expect((await act(mallory, 'mail', { kind: 'reset' })).status).toBe(303)
  })

  test('tells the reader of an address in between of the way back, without a link that is not there', async () => {
    const at = await startAtMove(store)
    await using _ = at.running
    const { mallory, other, act, move, mailsTo, ada } = at
    expect((await act(other, 'verify')).status).toBe(303)
    await move(mallory, ada.email)
    const told = await vi.waitUntil(() => firstOf(mailsTo('mallory@example.com')))
    expect(told?.text).toContain('If you did not ask for this, write to us.')
    expect(told?.text).not.toMatch(/this link|https:/)
  })

  test('is held up by no second operator where an owner has switched that off; an admin cannot', async () => {
    const at = await startAtMove(store)
    await using _ = at.running
    const { running, tenant, mallory, act, move, ada } = at
    const owner = await running.logIn({ role: 'owner' })
    const sent = { metadata_key: 'latchkey_four_eyes', metadata_value: 'false' }
    const page = `${tenant.path}/settings`
    const save = (by: OperatorBrowser) => sendChanges(by, page, sent, { action: `${page}/save` })
    const refused = await save(mallory)
    expect(textOf(refused.html)).toContain('owner')
    const { metadata } = (await tenant.call('GET', `/v1/tenants/${tenant.id}`)).body
    expect(metadata?.latchkey_four_eyes).toBeUndefined()
    expect((await save(owner)).status).toBe(303)
    // The hold of an edit from before stays.
    expect((await act(mallory, 'verify')).status).toBe(403)
    await move(mallory, ada.email)
    await move(mallory, 'mallory4@example.com')
    expect((await act(mallory, 'verify')).status).toBe(303)
  })
})

test('a mistyped address that was never verified is corrected by one operator', async () => {
  const running = await startConsole()
  await using _ = running
  const tenant = await aTenant(running)
  const ada = await tenant.addUser({ email: 'adaa@example.com', email_verified: false }, '')
  const operator = await running.logIn({ role: 'admin' })
  const path = `${tenant.path}/users/${ada.id}`
  const fields = { email: 'ada@example.com', name: '', given_name: '', family_name: '' }
  await sendForm(operator, `${path}/edit/save`, fields, `${path}/edit`)
  const page = await operator.get(path)
  expect((await press(operator, page, `${path}/mail`, { kind: 'invite' })).status).toBe(303)
})
