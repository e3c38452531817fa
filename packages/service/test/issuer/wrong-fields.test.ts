import { expect, test } from 'vitest'
import { askForReset, type Browser, createBrowser, type Page } from './support/browser.ts'
import { createClient } from './support/client.ts'
import { addApp, allFactors, MFA, startWithFactors } from './support/factors.ts'
import { instantPasswords } from './support/instant-passwords.ts'
import { startIssuer, type TestIssuer } from './support/issuer.ts'
import { ada } from './support/token-endpoint.ts'

const SECRET = 'sesame sesame 123'

const attributesIn = (tag: string): Record<string, string> =>
  Object.fromEntries(
    [...tag.matchAll(/\s([\w-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
    ]),
  )

/** The fields of a page that can be seen. */
const fieldsOn = ({ html }: Page): Record<string, string>[] =>
  [...html.matchAll(/<input[^>]*>/g)]
    .map(([tag]) => attributesIn(tag))
    .filter((field) => field.type !== 'hidden' && !('hidden' in field))

/** What is written at the fields that are said to be wrong, by their names. */
function wrongFields(page: Page): Record<string, string> {
  const wrong = fieldsOn(page).filter((field) => field['aria-invalid'] === 'true')
  return Object.fromEntries(
    wrong.map((field) => {
      const [id] = (field['aria-describedby'] ?? '').split(' ')
      const text = new RegExp(`<p class="problem" role="alert" id="${id}">([^<]*)</p>`)
      return [field.name, text.exec(page.html)?.[1] ?? 'nothing']
    }),
  )
}

const valuesOn = (page: Page): Record<string, string> =>
  Object.fromEntries(
    fieldsOn(page)
      .filter(({ type, value }) => type !== 'checkbox' && value !== '' && value !== undefined)
      .map(({ name = '', value = '' }) => [name, value]),
  )

interface Visit {
  issuer: TestIssuer
  browser: Browser
  /** The first page of a login. */
  login(): Promise<Page>
}

const account = async ({ browser, issuer }: Visit, path: string): Promise<Page> => {
  await issuer.addUser(ada)
  return browser.submit(await browser.get(path), ada)
}

/** Every form, as it is sent: to a page that says at which field something is wrong. */
const forms: Record<string, [(visit: Visit) => Promise<Page>, field: string, kept: object]> = {
  login: [
    async ({ browser, login }) =>
      browser.submit(await login(), { email: 'ada@example.com', password: SECRET }),
    'password',
    { email: 'ada@example.com' },
  ],
  'login without an address': [
    async ({ browser, login }) => browser.submit(await login(), { email: '', password: SECRET }),
    'email',
    {},
  ],
  'login by mail': [
    async ({ browser, issuer, login }) => {
      await issuer.changeSettings({ allowPasswords: false, allowTotpEmail: true })
      return browser.submit(await login(), { email: 'ada at example' })
    },
    'email',
    { email: 'ada at example' },
  ],
  'code in place of a password': [
    async ({ browser, issuer, login }) => {
      await issuer.changeSettings({ allowPasswords: false, allowTotpEmail: true })
      const page = await browser.submit(await login(), { email: ada.email })
      return browser.submit(page, { code: '12 34' })
    },
    'code',
    {},
  ],
  'sign-up with a bad name': [
    async ({ browser, login }) => {
      const { url } = await login()
      const page = await browser.get(url.replace('?', '/signup?'))
      const name = 'x'.repeat(201)
      return browser.submit(page, { name, email: ada.email, password: SECRET })
    },
    'name',
    { name: 'x'.repeat(201), email: ada.email },
  ],
  'sign-up with a bad address': [
    async ({ browser, login }) => {
      const { url } = await login()
      const page = await browser.get(url.replace('?', '/signup?'))
      return browser.submit(page, { name: 'Ada', email: 'ada', password: SECRET })
    },
    'email',
    { name: 'Ada', email: 'ada' },
  ],
  'sign-up with a bad password': [
    async ({ browser, login }) => {
      const { url } = await login()
      const page = await browser.get(url.replace('?', '/signup?'))
      return browser.submit(page, { name: 'Ada', email: ada.email, password: 'sesame' })
    },
    'password',
    { name: 'Ada', email: ada.email },
  ],
  'question for another password': [
    async ({ browser }) => browser.submit(await browser.get('/reset'), { email: 'ada' }),
    'email',
    { email: 'ada' },
  ],
  'another password': [
    async ({ issuer, browser }) => {
      await issuer.addUser(ada)
      await askForReset(issuer)
      return browser.submit(await browser.get(await issuer.lastLink()), { password: 'sesame' })
    },
    'password',
    {},
  ],
  'address to confirm in another browser': [
    async ({ issuer, browser, login }) => {
      await issuer.addUser({ ...ada, emailVerified: false })
      await browser.submit(await login(), ada)
      const elsewhere = createBrowser(issuer)
      return elsewhere.submit(await elsewhere.get(await issuer.lastLink()), { password: 'sesame' })
    },
    'password',
    {},
  ],
  'second step': [
    async ({ issuer, browser, login }) => {
      await issuer.changeSettings({ ...allFactors, rememberDevice: true })
      await addApp(issuer, await issuer.addUser(ada))
      const page = await browser.submit(await login(), ada)
      return browser.submit(page, { code: 'never', trust: 'yes' })
    },
    'code',
    {},
  ],
  'second step that is added': [
    async ({ issuer, browser }) => {
      await issuer.changeSettings(allFactors)
      await issuer.addUser(ada)
      const app = await createClient(issuer)
      const page = await browser.get((await app.begin({ acr_values: MFA })).url)
      return browser.submit(await browser.submit(page, ada), { code: 'never' })
    },
    'code',
    {},
  ],
  'names of the account': [
    async (visit) => {
      const page = await account(visit, '/account/profile')
      const given_name = 'x'.repeat(201)
      return visit.browser.submit(page, { name: 'Countess', given_name, family_name: 'King' })
    },
    'given_name',
    { name: 'Countess', given_name: 'x'.repeat(201), family_name: 'King' },
  ],
  'address of the account': [
    async (visit) => {
      const page = await account(visit, '/account/email')
      return visit.browser.submit(page, { email: 'ada', step: 'send' })
    },
    'email',
    { email: 'ada' },
  ],
  'code to the new address': [
    async (visit) => {
      const page = await account(visit, '/account/email')
      const sent = await visit.browser.submit(page, { email: 'new@example.com', step: 'send' })
      return visit.browser.submit(sent, { code: 'never' })
    },
    'code',
    {},
  ],
  'current password of the account': [
    async (visit) => {
      const page = await account(visit, '/account/password')
      return visit.browser.submit(page, { current: SECRET, password: SECRET })
    },
    'current',
    {},
  ],
  'new password of the account': [
    async (visit) => {
      const page = await account(visit, '/account/password')
      return visit.browser.submit(page, { current: ada.password, password: 'sesame' })
    },
    'password',
    {},
  ],
  'deletion of the account': [
    async (visit) => {
      await visit.issuer.changeSettings({}, { latchkey_account_deletion: 'true' })
      return visit.browser.submit(await account(visit, '/account/delete'), { confirm: 'no' })
    },
    'confirm',
    {},
  ],
}

test.for(Object.entries(forms))(
  'form "%s" says at its field what is wrong, begins there, and keeps what was entered but passwords',
  async ([, [send, field, kept]]) => {
    await using issuer = await startIssuer({ passwords: instantPasswords })
    const app = await createClient(issuer)
    const browser = createBrowser(issuer)
    const login = async () => browser.get((await app.begin()).url)

    const page = await send({ issuer, browser, login })

    expect(page.status).toBe(422)
    expect(wrongFields(page)).toEqual({ [field]: expect.stringMatching(/^[A-Z].*\.$/) })
    const focused = fieldsOn(page).filter((shown) => 'autofocus' in shown)
    expect(focused.map(({ name }) => name)).toEqual([field])
    expect(valuesOn(page)).toEqual(kept)
    expect(page.html).not.toContain('sesame')
    expect(page.html.match(/role="alert"/g)).toHaveLength(1)
  },
)

test('the choice to trust the device is kept after a wrong code', async () => {
  const settings = { rememberDevice: true }
  const { issuer, user, app } = await startWithFactors({ settings })
  await using _ = issuer
  await addApp(issuer, user)
  const browser = createBrowser(issuer)
  const page = await browser.submit(await browser.get((await app.begin()).url), ada)

  const refused = await browser.submit(page, { code: 'never', trust: 'yes' })
  const unticked = await browser.submitOnly(page, { code: 'never', trust: 'no' })

  expect(refused.html).toContain('value="yes" checked>')
  expect(unticked.html).toContain('value="yes">')
})

test('a key that is refused keeps the name that was entered for it', async () => {
  const { issuer } = await startWithFactors({ settings: { allowHardware: true } })
  await using _ = issuer
  const browser = createBrowser(issuer)
  await browser.submit(await browser.get('/account/security'), ada)
  const page = await browser.get('/account/security/add?kind=hardware')

  const refused = await browser.submit(page, { credential: '{}', name: 'Work "laptop"' })

  expect(refused.status).toBe(422)
  expect(refused.html).toContain('class="note bad"')
  expect(valuesOn(refused)).toEqual({ name: 'Work "laptop"' })
})
