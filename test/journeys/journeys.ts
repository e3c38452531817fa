import type { TestUser } from '@latchkey/testing'
import { codeOf } from '../../packages/service/test/issuer/support/factors.ts'
import {
  type EngineName,
  type Profile,
  type Settings,
  type Tab,
  until,
} from '../support/engines/engine.ts'
import { ENDED, startWorld, type TenantSettings, type World } from './world.ts'

/** A way through the service and an application, as users take it. */
export interface Journey {
  /** A sentence that is true of every engine without an entry in `not`. */
  readonly name: string
  readonly browser?: Settings
  /** Settings of the tenant that differ from the usual ones; the journey has a service of its own then. */
  readonly tenant?: TenantSettings
  /** Engines in which it is not walked, and why. */
  readonly not?: Partial<Record<EngineName, string>>
  walk(world: World, profile: Profile): Promise<void>
}

/** The settings of the service that journeys share. */
export const usual: TenantSettings = {
  allow_totp_app: true,
  allow_totp_email: true,
  allow_hardware: true,
}

/** Waits until the page has a text. */
async function see(tab: Tab, text: string): Promise<void> {
  let last = ''
  await until(`“${text}”`, async () => {
    last = await tab.text()
    return last.includes(text) || undefined
  }).catch(async (error) => {
    const address = await tab.address().catch(() => '')
    throw new Error(`${error.message} The page at ${address} says: ${last.slice(0, 400)}`)
  })
}

async function enterPassword(tab: Tab, { email, password }: TestUser): Promise<void> {
  await tab.fill('Email address', email)
  await tab.fill('Password', password)
  await tab.press('Log in')
}

/** Logs a new user in at the application. */
async function logIn({ identity, application }: World, tab: Tab): Promise<TestUser> {
  const user = await identity.createUser()
  await tab.open(`${application}/private`)
  await enterPassword(tab, user)
  await see(tab, `Hello ${user.name}`)
  return user
}

/** Logs out in a tab that shows a private page, or in another one. */
async function logOut({ application }: World, tab: Tab): Promise<void> {
  await tab.open(`${application}/private`)
  await tab.press('Log out')
  await see(tab, 'You are out')
}

/**
 * Says that the recovery codes are saved, and waits for the page behind: an address that is opened
 * before breaks it off.
 */
async function saveRecoveryCodes(tab: Tab): Promise<void> {
  await tab.press('I have saved them')
  await until('page behind the codes', async () => {
    return (await tab.text()).includes('I have saved them') ? undefined : true
  })
}

/** Opens the link in the newest message. */
async function followMail({ identity }: World, tab: Tab): Promise<void> {
  const link = await until('link in a message', async () => (await identity.outbox())[0]?.link)
  await tab.open(link)
}

/** The text that a pattern finds on the page. */
function find(tab: Tab, pattern: RegExp): Promise<string> {
  return until(String(pattern), async () => pattern.exec(await tab.text())?.[0])
}

/** Every journey. Names are rows of docs/guides/browsers.md. */
export const journeys: readonly Journey[] = [
  {
    name: 'a user logs in with a password, and lands on the page that was asked for',
    async walk(world, profile) {
      const tab = await profile.newTab()
      await logIn(world, tab)
      await until('address', async () => (await tab.address()).endsWith('/private') || undefined)
    },
  },
  {
    name: 'a user with an authenticator app logs in with password and code',
    async walk({ identity, application }, profile) {
      const user = await identity.createUser()
      await user.totp()
      const tab = await profile.newTab()
      await tab.open(`${application}/private`)
      await enterPassword(tab, user)
      await tab.fill('Code of 6 digits', await user.totp())
      await tab.press('Continue')
      await see(tab, `Hello ${user.name}`)
    },
  },
  {
    name: 'a user adds an authenticator app, saves recovery codes, and logs in with one of them',
    async walk(world, profile) {
      const { identity, application } = world
      const tab = await profile.newTab()
      const user = await logIn(world, tab)
      await tab.open(`${identity.issuer}/account/security/add?kind=totp_app`)
      await see(tab, 'Add an authenticator app')
      await tab.fill('Code of 6 digits', codeOf(await find(tab, /[A-Z2-7 ]{32,}/)))
      await tab.press('Add')
      const code = await find(tab, /\b[0-9A-Z]{4}(-[0-9A-Z]{4}){3}\b/)
      await saveRecoveryCodes(tab)
      await logOut(world, tab)
      await tab.open(`${application}/private`)
      await enterPassword(tab, user)
      await tab.press('Recovery code')
      await tab.fill('Recovery code', code)
      await tab.press('Continue')
      await see(tab, `Hello ${user.name}`)
    },
  },
  {
    name: 'where passwords are off, a user logs in with a mailed code',
    tenant: { ...usual, allow_passwords: false },
    async walk({ identity, application }, profile) {
      const user = await identity.createUser()
      const tab = await profile.newTab()
      await tab.open(`${application}/private`)
      await tab.fill('Email address', user.email)
      await tab.press('Send the code')
      await see(tab, 'Enter the code')
      const code = await until('code in a message', async () => {
        const [mail] = await identity.outbox()
        return /\b\d{8}\b/.exec(mail?.text ?? '')?.[0]
      })
      await tab.fill('Code of 8 digits', code)
      await tab.press('Log in')
      await see(tab, `Hello ${user.name}`)
    },
  },
  {
    name: 'a user adds a passkey, and logs in with it',
    browser: { hasPasskeys: true },
    not: { WebKit: 'does not exist there: WebKitGTK has no WebAuthn (2.50, 24 November 2026)' },
    async walk(world, profile) {
      const { identity, application } = world
      const tab = await profile.newTab()
      const user = await logIn(world, tab)
      await tab.open(`${identity.issuer}/account/security/add?kind=hardware`)
      await tab.fill('Name', 'Laptop')
      await tab.press('Add a passkey')
      await see(tab, 'Save your recovery codes')
      await saveRecoveryCodes(tab)
      await logOut(world, tab)
      await tab.open(`${application}/private`)
      if (!profile.consentsUnasked) await tab.press('Log in with a passkey')
      await see(tab, `Hello ${user.name}`)
    },
  },
  {
    name: 'a user logs in at another provider',
    tenant: { ...usual, allow_social: true },
    async walk({ identity, application }, profile) {
      const upstream = await identity.upstream()
      const user = await upstream.createUser()
      const tab = await profile.newTab()
      await tab.open(`${application}/private`)
      await tab.press('Continue with Upstream')
      await see(tab, 'Log in')
      await enterPassword(tab, user)
      await see(tab, `Hello ${user.name}`)
    },
  },
  {
    name: 'a page that needs a second step asks for it, and opens',
    async walk(world, profile) {
      const { application } = world
      const tab = await profile.newTab()
      const user = await world.identity.createUser()
      await tab.open(`${application}/private`)
      await enterPassword(tab, user)
      await see(tab, `Hello ${user.name}`)
      await tab.open(`${application}/strong`)
      await tab.press('Authenticator app')
      await see(tab, 'Add an authenticator app')
      await tab.fill('Code of 6 digits', codeOf(await find(tab, /[A-Z2-7 ]{32,}/)))
      await tab.press('Add')
      await tab.press('I have saved them')
      await see(tab, `Vault of ${user.name}`)
    },
  },
  {
    name: 'a visitor signs up, and follows the link in the message from another site',
    async walk(world, profile) {
      const tab = await profile.newTab()
      await tab.open(`${world.application}/private`)
      await tab.press('Create one')
      await tab.fill('Your name', 'Grace Hopper')
      await tab.fill('Email address', `grace-${crypto.randomUUID()}@example.com`)
      await tab.fill('Password', 'correct horse battery')
      await tab.press('Create account')
      await see(tab, 'Check your inbox')
      await tab.open(world.elsewhere)
      await followMail(world, tab)
      await tab.press('Confirm address')
      await see(tab, 'Hello Grace Hopper')
    },
  },
  {
    name: 'a user sets a new password by a link in a message, and logs in with it',
    async walk(world, profile) {
      const user = await world.identity.createUser()
      const tab = await profile.newTab()
      await tab.open(`${world.application}/private`)
      await tab.press('Forgot your password?')
      await tab.fill('Email address', user.email)
      await tab.press('Send the link')
      await see(tab, 'Check your inbox')
      await followMail(world, tab)
      await tab.fill('New password', 'a brand new one')
      await tab.press('Set password')
      await see(tab, 'Log in with it')
      await tab.fill('Password', 'a brand new one')
      await tab.press('Log in')
      await see(tab, `Hello ${user.name}`)
    },
  },
  {
    name: 'a link at another site opens a private page, with and without a session',
    async walk(world, profile) {
      const user = await world.identity.createUser()
      const tab = await profile.newTab()
      await tab.open(world.elsewhere)
      await tab.press('private')
      await enterPassword(tab, user)
      await see(tab, `Hello ${user.name}`)
      await tab.open(world.elsewhere)
      await tab.press('private')
      await see(tab, `Hello ${user.name}`)
    },
  },
  {
    name: 'after a logout, Back shows no private page',
    async walk(world, profile) {
      const tab = await profile.newTab()
      await logIn(world, tab)
      await tab.press('Log out')
      await see(tab, 'You are out')
      await seeNoPrivatePage(tab)
    },
  },
  {
    name: 'a user with large claims logs out without a question, and Back shows no private page',
    async walk({ identity, application }, profile) {
      const user = await identity.createUser({ claims: { groups: ['x'.repeat(6_000)] } })
      const tab = await profile.newTab()
      await tab.open(`${application}/private`)
      await enterPassword(tab, user)
      await see(tab, `Hello ${user.name}`)
      await tab.press('Log out')
      await see(tab, 'You are out')
      await seeNoPrivatePage(tab)
    },
  },
  {
    name: 'after a login, Back shows no form that no longer works',
    async walk(world, profile) {
      const tab = await profile.newTab()
      const user = await logIn(world, tab)
      await tab.back()
      await until('way on', async () => {
        const text = await tab.text()
        const isLink = /logged in already|expired/.test(text) || text.includes(`Hello ${user.name}`)
        return isLink || undefined
      })
    },
  },
  {
    name: 'two tabs that begin a login at the same time both arrive',
    async walk({ identity, application }, profile) {
      const user = await identity.createUser()
      const [first, second] = [await profile.newTab(), await profile.newTab()]
      await first.open(`${application}/private`)
      await second.open(`${application}/write`)
      await enterPassword(first, user)
      await see(first, `Hello ${user.name}`)
      await enterPassword(second, user)
      await see(second, 'Publish')
    },
  },
  {
    name: 'a browser that blocks cookies is told so, and how to allow them',
    browser: { blocksCookies: true },
    async walk({ identity, application }, profile) {
      const tab = await profile.newTab()
      await tab.open(`${application}/private`)
      await until('remedy', async () => /cookies/i.test(await tab.text()) || undefined)
      await tab.open(`${identity.issuer}/account`)
      await see(tab, 'Your browser blocks cookies')
    },
  },
  {
    name: 'a user whose session has expired returns to the same page without a question',
    async walk(world, profile) {
      const tab = await profile.newTab()
      const user = await logIn(world, tab)
      await tab.forgetCookie('latchkey')
      await tab.open(`${world.application}/private`)
      await see(tab, `Hello ${user.name}`)
    },
  },
  {
    name: 'with `keepForms`, a form that is sent after the session has expired is sent with one click',
    async walk(world, profile) {
      const text = 'Dear Ada & <b>Bob</b>'
      const tab = await profile.newTab()
      await logIn(world, tab)
      await tab.open(`${world.application}/write`)
      await tab.fill('Text', text)
      await tab.forgetCookie('latchkey')
      await tab.press('Publish')
      await see(tab, 'Send what you wrote?')
      await see(tab, text)
      await tab.press('Send')
      await see(tab, `Published: ${text}`)
    },
  },
  {
    name: 'a user changes their name on the account page',
    async walk(world, profile) {
      const tab = await profile.newTab()
      await logIn(world, tab)
      await tab.open(`${world.identity.issuer}/account/profile`)
      await tab.fill('Your name', 'Ada King')
      await tab.press('Save')
      await see(tab, 'Your changes are saved.')
      await see(tab, 'Ada King')
    },
  },
  {
    name: 'an operator enters the console by an invitation, and sees the tenants',
    async walk({ console }, profile) {
      const email = `${crypto.randomUUID()}@example.com`
      const { token } = await console.service.admin.inviteOperator({ email, role: 'owner' })
      const tab = await profile.newTab()
      await tab.open(`${console.url}/console/invitation?token=${token}`)
      await tab.fill('Password', console.password)
      await tab.press('Set the password')
      await tab.fill('Email address', email)
      await tab.fill('Password', console.password)
      await tab.press('Log in')
      await see(tab, 'Overview')
      await tab.open(`${console.url}/console/tenants`)
      await see(tab, 'No tenant yet.')
    },
  },
  {
    name: 'a page of scripts loads data of the user, through a login if it has to',
    async walk({ identity, application }, profile) {
      const user = await identity.createUser()
      const tab = await profile.newTab()
      await tab.open(`${application}/page`)
      await enterPassword(tab, user)
      await see(tab, `Loaded for ${user.name}`)
    },
  },
  {
    name: 'an event stream ends when the user logs out in another tab',
    async walk(world, profile) {
      const [tab, other] = [await profile.newTab(), await profile.newTab()]
      const user = await logIn(world, tab)
      await other.open(`${world.application}/watch`)
      await see(other, `Watching as ${user.name}`)
      await logOut(world, tab)
      await see(other, 'The stream has ended')
    },
  },
  {
    name: 'a WebSocket is closed when the user logs out in another tab',
    async walk(world, profile) {
      const [tab, other] = [await profile.newTab(), await profile.newTab()]
      const user = await logIn(world, tab)
      await other.open(`${world.application}/chat`)
      await see(other, `Chatting as ${user.name}`)
      await logOut(world, tab)
      await see(other, `Closed with ${ENDED}`)
    },
  },
  {
    name: 'without JavaScript a user logs in, and logs out',
    browser: { blocksScripts: true },
    async walk(world, profile) {
      const tab = await profile.newTab()
      await tab.open(`${world.application}/page`)
      await see(tab, 'Scripts are off')
      await logIn(world, tab)
      await logOut(world, tab)
    },
  },
]

/** Goes back as far as the private page was, which must not be shown. */
async function seeNoPrivatePage(tab: Tab): Promise<void> {
  for (let step = 0; step < 3; step++) {
    await tab.back()
    const text = await tab.text()
    if (text.includes('Hello ')) throw new Error(`Back shows the private page: ${text}`)
    if (text.includes('Email address')) return
  }
}

/** Walks a journey with a profile of its own. */
export async function walk(
  journey: Journey,
  shared: World,
  open: (settings?: Settings) => Promise<Profile>,
): Promise<void> {
  await using all = new AsyncDisposableStack()
  const world = journey.tenant ? all.use(await startWorld(journey.tenant)) : shared
  const profile = all.use(await open(journey.browser))
  await journey.walk(world, profile)
}
