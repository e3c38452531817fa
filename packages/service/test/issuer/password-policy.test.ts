import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createVisitor, type Page } from './support/browser.ts'
import { logIn } from './support/client.ts'
import { hasCode, startWithFactors } from './support/factors.ts'
import { allStoreKinds, movesTheClock, type StoreKind } from './support/issuer.ts'
import { ada } from './support/token-endpoint.ts'

// The leaked passwords are those of this process.
movesTheClock()

const LEAKED = 'four words that leaked'
const RANGED = 'four words of a range'
const GOOD = 'four words of no list'

async function start(store: StoreKind) {
  const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase()
  const asked: string[] = []
  const world = await startWithFactors({
    store,
    leaks: {
      hasList: true,
      isListed: async (hash) => hash === sha1(LEAKED),
      async isInRanges(tenantId, hash) {
        asked.push(tenantId)
        return hash === sha1(RANGED)
      },
      close: async () => {},
    },
  })
  return { ...world, asked }
}

/** The rules that a page names before a password is typed, and the fault of the one that was typed. */
function said({ html }: Page): { rules: string[]; fault: string | undefined } {
  const [, list = ''] = /<ul class="hint" id="password-hint">(.*?)<\/ul>/s.exec(html) ?? []
  expect(html).toContain('id="password"')
  expect(/id="password"[^>]*aria-describedby="[^"]*password-hint"/s.test(html)).toBe(true)
  return {
    rules: [...list.matchAll(/<li>(.*?)<\/li>/g)].map(([, rule = '']) => rule),
    fault: /id="password-problem">([^<]*)</.exec(html)?.[1],
  }
}

const faults = [
  ['eleven char', 'The password has fewer than 12 characters.'],
  ['password1234', 'This password is too common.'],
  ['Acme 2026-2027', 'The password must not consist of your name or ours.'],
  [LEAKED, 'This password is known from a data leak'],
  [RANGED, 'This password is known from a data leak'],
] as const

describe.each(allStoreKinds)('on %s', (store) => {
  test('the policy of a tenant is on every page where a user chooses a password, and each page names the rule that was broken', async () => {
    const { issuer, app, user } = await start(store)
    await using _ = issuer
    await issuer.changeSettings(
      { allowUnverified: true },
      { latchkey_password_min_length: '12', latchkey_leaked_password_check: 'true' },
    )
    const begin = await app.begin({ prompt: 'create' })
    const visitor = createVisitor(issuer)
    const signup = await visitor.get(begin.url)
    const session = await logIn(issuer, app, ada)
    expect(hasCode(session.callback)).toBe(true)
    const account = await session.browser.get('/account/password')
    await visitor.submit(await visitor.get('/reset'), { email: ada.email })
    const mail = (await issuer.mails()).find(({ link }) => link?.includes('/reset?'))
    const reset = await visitor.get(mail?.link ?? '')

    const places = [
      { page: signup, browser: visitor, more: { email: 'eve@example.com' } },
      { page: account, browser: session.browser, more: { current: ada.password } },
      { page: reset, browser: visitor, more: {} },
    ]
    for (const { page, browser, more } of places) {
      expect(said(page).rules).toEqual([
        expect.stringContaining('At least 12 characters.'),
        expect.stringContaining('Not a common password'),
        expect.stringContaining('Not your name or ours'),
      ])
      for (const [password, fault] of faults) {
        const refused = await browser.submit(page, { ...more, password })
        expect([refused.status, said(refused).fault]).toEqual([422, expect.stringContaining(fault)])
      }
    }
    for (const { page, browser, more } of places.slice(0, 2)) {
      const { html } = await browser.submit(page, { ...more, password: GOOD })
      expect(html).not.toContain('password-problem')
    }
    const after = await logIn(issuer, app, { ...ada, password: GOOD })
    expect(hasCode(after.callback)).toBe(true)
    expect(user.email).toBe(ada.email)
    expect(issuer.problems).toEqual([])
  })

  test('passwords from before a policy stay good, and a tenant without one sends nothing', async () => {
    const { issuer, app, asked } = await start(store)
    await using _ = issuer
    const bob = await issuer.addUser({ email: 'bob@example.com', password: LEAKED })
    const known = { email: bob.email, password: LEAKED }

    const { browser } = await logIn(issuer, app, known)
    const form = await browser.get('/account/password')
    const change = (password: string) => browser.submit(form, { current: LEAKED, password })
    expect(said(await change('short'))).toMatchObject({
      fault: 'The password has fewer than 8 characters.',
    })
    expect(said(await change(LEAKED)).fault).toContain('known from a data leak')
    expect((await change(RANGED)).html).toContain('Your password was changed.')
    expect(asked).toEqual([])

    await issuer.changeSettings({}, { latchkey_password_min_length: '24' })
    const after = await logIn(issuer, app, { ...known, password: RANGED })
    expect(hasCode(after.callback)).toBe(true)
  })
})

test('a page names data leaks only where new passwords are looked for in them', async () => {
  const { issuer } = await startWithFactors()
  await using _ = issuer
  const rules = async () => {
    const visitor = createVisitor(issuer)
    await visitor.submit(await visitor.get('/reset'), { email: ada.email })
    const mail = (await issuer.mails()).find(({ link }) => link?.includes('/reset?'))
    return said(await visitor.get(mail?.link ?? '')).rules
  }
  expect(await rules()).toContain('Not a common password.')
  await issuer.changeSettings({}, { latchkey_leaked_password_check: 'true' })
  expect(await rules()).toContain('Not a common password, and none that is known from a data leak.')
})
