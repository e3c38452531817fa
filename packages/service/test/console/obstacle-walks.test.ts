import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { updateCredential } from '../../src/domain/users/credentials.ts'
import type { User } from '../../src/store/records.ts'
import { type Browser, createBrowser, type Page } from '../issuer/support/browser.ts'
import { type Client, createClient } from '../issuer/support/client.ts'
import { addApp, addMail, codeOf, hasCode, wrong } from '../issuer/support/factors.ts'
import { instantPasswords } from '../issuer/support/instant-passwords.ts'
import { movesTheClock, startIssuer, type TestIssuer } from '../issuer/support/issuer.ts'
import { moveTime } from '../issuer/support/token-endpoint.ts'
import { freeLimits, walkAtIssuers } from '../issuer/support/walks.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

const PASSWORD = 'correct horse battery'
const networks = ['198.51.100.1', '198.51.100.2']

const waitAfter = (free: number) => ({
  ...{ free, baseSeconds: 1_200, maxSeconds: 2_400, forgetSeconds: 86_400 },
})

/** Limits that are soon reached, each with a wait of twenty minutes. */
const limits = {
  ...freeLimits.limits,
  loginPerAddress: waitAfter(2),
  loginPerDevice: waitAfter(2),
  loginAnywhere: waitAfter(4),
  loginPerClient: waitAfter(5),
  factorPerUser: waitAfter(2),
  factorAnywhere: waitAfter(5),
  mailPerAddress: waitAfter(4),
  mailPerClient: waitAfter(7),
}

const acts = ['wrong', 'wrong', 'wrong', 'other', 'code', 'right', 'wait', 'mail'] as const

const way = fc.constantFrom('none', 'on', 'on', 'off')
const state = fc.record({
  settings: fc.record({
    allowPasswords: fc.constantFrom(true, true, true, false),
    allowTotpApp: fc.boolean(),
    allowTotpEmail: fc.boolean(),
    allowUnverified: fc.boolean(),
  }),
  isVerified: fc.constantFrom(true, true, false),
  isDisabled: fc.constantFrom(false, false, false, true),
  password: way,
  app: way,
  mail: way,
  acts: fc.array(
    fc.record({
      act: fc.constantFrom(...acts),
      network: fc.constantFrom(...networks),
      isOnDevice: fc.boolean(),
    }),
    { maxLength: 9 },
  ),
})

/** A user whose browsers do what a random state says. */
interface Walker {
  readonly user: User
  /** The networks that the service has seen of the user. */
  readonly seen: Set<string>
  /** Enters what is right but for what is given; answers with the last page. */
  enter(fields: Entered, place: Place): Promise<Page>
  /** Each code of the app is for a time step of its own; time has passed, so all are good again. */
  renewCodes(): void
}

interface Entered {
  email?: string
  password?: string
  code?: 'right' | 'wrong'
}

interface Place {
  network: string
  isOnDevice: boolean
}

function createWalker(issuer: TestIssuer, app: Client, user: User, seed: string): Walker {
  const device = createBrowser(issuer)
  let steps: number[] = []
  const renewCodes = () => {
    steps = [-1, 0, 1]
  }
  renewCodes()

  /** The code that was mailed last; another where none was. */
  async function mailedCode(): Promise<string> {
    const mails = await issuer.mails()
    const mail = mails.find(({ to, link }) => to === user.email && link === undefined)
    return /\b\d{8}\b/.exec(mail?.text ?? '')?.[0] ?? '00000000'
  }

  async function enter(fields: Entered, { network, isOnDevice }: Place): Promise<Page> {
    const browser: Browser = isOnDevice ? device : createBrowser(issuer)
    browser.headers['x-forwarded-for'] = network
    const { url } = await app.begin({ prompt: 'login' })
    const form = await browser.get(url)
    // Nobody can log in at the tenant.
    if (!form.html.includes('name="email"')) return form
    const { email = user.email, password = PASSWORD, code = 'right' } = fields
    const isByMail = !form.html.includes('name="password"')
    let page = await browser.submit(form, isByMail ? { email } : { email, password })
    for (let step = 0; step < 3; step++) {
      if (page.status !== 200) return page
      if (page.html.includes('value="send"') && !page.html.includes('name="code"')) {
        page = await browser.submit(page, { step: 'send' })
        if (page.status !== 200) return page
      }
      if (!page.html.includes('name="code"')) return page
      const isApp = page.html.includes('name="kind" value="totp_app"')
      const good = isApp ? codeOf(seed, steps.shift()) : await mailedCode()
      page = await browser.submit(page, { code: code === 'right' ? good : wrong(good) })
    }
    return page
  }

  return { user, seen: new Set(), enter, renewCodes }
}

test('the service says that nothing keeps a user from logging in exactly when the right password and factor get in', async () => {
  await walkAtIssuers(30, async (parameters) => {
    await using issuer = await startIssuer({
      store: 'sqlite',
      trustedProxies: ['127.0.0.1'],
      passwords: instantPasswords,
      ...{ limits, requestLimits: freeLimits.requestLimits },
    })
    const app = await createClient(issuer)
    let users = 0
    const walk = fc.asyncProperty(state, async (given) => {
      moveTime(86_400 * 2)
      await issuer.changeSettings({ ...given.settings, allowPasswords: true })
      const walker = await begin(issuer, app, given, `u${++users}@example.com`)
      await issuer.changeSettings(given.settings)
      for (const act of given.acts) await take(issuer, walker, act)
      moveTime(90)
      walker.renewCodes()

      const obstacles = await issuer.support.obstacles(issuer.scope, walker.user.id)
      const places = [
        ...[...walker.seen].map((network) => ({ network, isOnDevice: false })),
        { network: '203.0.113.9', isOnDevice: false },
        { network: '203.0.113.9', isOnDevice: true },
      ]
      const refused: object[] = []
      for (const place of places) {
        const page = await walker.enter({}, place)
        if (!hasCode(page)) refused.push({ ...place, saw: `${page.status} ${shownOn(page)}` })
        // Codes are used up, and mails counted, by these logins themselves.
        if (refused.length > 0) break
        if (obstacles.length === 0) moveTime(3_600)
        walker.renewCodes()
      }
      if (obstacles.length === 0) expect(refused).toEqual([])
      else expect({ refused, obstacles }).not.toMatchObject({ refused: [] })
    })
    await fc.assert(walk, parameters)
  })
}, 3_600_000)

/** What a page says, for a failure to show. */
const shownOn = ({ html, location = '' }: Page) =>
  location + html.slice(html.indexOf('<main')).replace(/<[^>]+>|\s+/g, ' ')

type State = typeof state extends fc.Arbitrary<infer T> ? T : never

async function begin(issuer: TestIssuer, app: Client, given: State, email: string) {
  const user = await issuer.addUser({
    email,
    emailVerified: given.isVerified,
    ...(given.password !== 'none' && { password: PASSWORD }),
  })
  const { seed } = given.app === 'none' ? { seed: '' } : await addApp(issuer, user)
  if (given.mail !== 'none') await addMail(issuer, user)
  const walker = createWalker(issuer, app, user, seed)
  const network = '198.51.100.9'
  if (hasCode(await walker.enter({}, { network, isOnDevice: true }))) walker.seen.add(network)
  moveTime(90)
  const off = [
    ...(given.password === 'off' ? ['password'] : []),
    ...(given.app === 'off' ? ['totp_app', 'recovery_codes'] : []),
    ...(given.mail === 'off' ? ['totp_email'] : []),
  ]
  for (const id of off) {
    await updateCredential(issuer.scope, user.id, id, { disabled: true, metadata: {} })
  }
  if (given.isDisabled) await issuer.changeUser(user, { disabled: true })
  return walker
}

async function take(
  issuer: TestIssuer,
  walker: Walker,
  { act, ...place }: State['acts'][number],
): Promise<void> {
  switch (act) {
    case 'wait':
      return moveTime(1_500)
    case 'wrong':
      if (!place.isOnDevice) walker.seen.add(place.network)
      await walker.enter({ password: 'a guess' }, place)
      break
    case 'other':
      await walker.enter({ email: 'nobody@example.com', password: 'a guess' }, place)
      break
    case 'code':
      await walker.enter({ code: 'wrong' }, place)
      break
    case 'right':
      if (hasCode(await walker.enter({}, place))) walker.seen.add(place.network)
      break
    case 'mail':
      await issuer.support.sendMail(issuer.scope, walker.user.id, { kind: 'reset' }).catch(() => {})
  }
  moveTime(90)
  walker.renewCodes()
}
