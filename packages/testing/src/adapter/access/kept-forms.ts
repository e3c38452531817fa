import assert from 'node:assert/strict'
import type { AuthOptions } from '@latchkey/core'
import type { Response } from 'supertest'
import type { TestApplication, TestRoute } from '../application.ts'
import {
  assertPrivate,
  BASE_URL,
  type Case,
  cookiesOf,
  locationOf,
  PAGE,
  pathOf,
  type Site,
  type Visitor,
} from '../bench.ts'

const NO_ROOM = 'a cookie has no room for a form'
const KEPT: AuthOptions = { keepForms: true }
const TEXT = 'A letter <b>text</b> & "more"\r\nof two lines'

const write: TestRoute = {
  method: 'post',
  path: '/write',
  requirement: {},
  handle: async ({ body, user }) => ({ body: JSON.stringify([user().sub, body]) }),
}

/** Opens an application with a form behind a guard. */
async function opened(
  open: (setup: object) => Promise<Site>,
  options: AuthOptions = KEPT,
  parser: TestApplication['parser'] = 'after',
): Promise<Site> {
  return open({ parser, options, routes: [write] })
}

/** Logs in from the response to a form. Resolves to the path at which the login ends. */
async function throughLogin(site: Site, visitor: Visitor, begun: Response): Promise<string> {
  return pathOf(await visitor.open(await site.authorize(begun)))
}

/** The form on the page: its target, and its hidden fields. */
function formOf({ status, text }: Response): { action: string; fields: [string, string][] } {
  assert.equal(status, 200, text)
  const [, action = ''] = /<form method="post" action="([^"]*)"/.exec(text) ?? []
  const inputs = text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
  return {
    action: plain(action),
    fields: [...inputs].map(([, a = '', b = '']) => [plain(a), plain(b)]),
  }
}

function plain(html: string): string {
  return html.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}

/**
 * Sends a form that is kept, and logs its writer in. Resolves to the page with the form, and its
 * path.
 */
async function keptPage(site: Site, visitor: Visitor, form: object = { text: TEXT }) {
  const path = await throughLogin(site, visitor, await visitor.post('/write', form))
  return { path, page: await visitor.open(path) }
}

/** The browser of a user who has logged out. */
async function loggedOut(site: Site): Promise<Visitor> {
  const ada = await site.user()
  await ada.post('/logout')
  return ada
}

const gone = (answer: Response): void => {
  assert.equal(answer.status, 410, answer.text)
  assert.match(answer.text, /LATCHKEY_FORM_GONE/)
  assert.doesNotMatch(answer.text, /letter/)
}

/**
 * A `Cookie` header from `Set-Cookie` lines. Of two cookies with the same name, the later one
 * counts.
 */
function pairsOf(lines: readonly string[]): string {
  const pairs = lines.map((line) => (line.split(';')[0] ?? '').split(/=(.*)/s) as [string, string])
  const left = [...new Map(pairs.map(([name, value]) => [name, value]))]
  return left
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')
}

const PARSERS: readonly TestApplication['parser'][] = ['before', 'after', 'none']

/** The headers of a form that does not come from a page of this site. */
const ELSEWHERE: readonly Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site', origin: BASE_URL },
  { 'sec-fetch-site': 'same-site', origin: 'http://sibling.localhost:3000' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  {},
]

/** The headers of a form that a person sent from a page of this site. */
const SENT = { ...PAGE, 'sec-fetch-site': 'same-origin', origin: BASE_URL }

/**
 * Asserts that the response is the page which says, before the login, that a form is lost.
 *
 * @returns The target of its link.
 */
function linkOnLoss({ status, headers, text }: Response): string {
  assert.equal(status, 200, text)
  assert.match(text, /Your form was not sent/)
  assert.doesNotMatch(text, /letter/)
  assert.deepEqual([headers.refresh, headers.location], [undefined, undefined])
  return plain(/<a class="button" href="([^"]*)"/.exec(text)?.[1] ?? '')
}

const losses: readonly Case[] = [
  [
    'a person whose form is lost is told before the login, which returns to the page of the form',
    async ({ open, provider }) => {
      const site = await opened(open, {})
      const ada = await loggedOut(site)
      const { agent } = ada
      const sending = agent.post('/write').set({ ...SENT, referer: `${BASE_URL}/plain?step=2` })
      const told = await sending.type('form').send({ text: 'letter' })
      assertPrivate(told)
      const link = linkOnLoss(told)
      assert.ok(link.startsWith(provider.issuer), link)
      const back = await fetch(link, { redirect: 'manual' })
      const callback = new URL(back.headers.get('location') ?? '')
      const returned = await ada.open(callback.pathname + callback.search)
      assert.equal(pathOf(returned), '/plain?step=2')
      assert.deepEqual(site.handled, [])
    },
  ],
  [
    'a person is told that a form is lost in German',
    async ({ open }) => {
      const { agent } = (await opened(open, {})).visitor()
      const told = await agent.post('/write').set(SENT).set('accept-language', 'de').type('form')
      assert.match(told.text, /<html lang="de">.*Ihr Formular wurde nicht gesendet/)
    },
  ],
  [
    'a person is told that a form with files is lost, and a form in a step-up',
    async ({ open }) => {
      const stronger: TestRoute = { ...write, path: '/strong', requirement: { acr: ['mfa'] } }
      const site = await open({ routes: [write, stronger] })
      const files = site.visitor().agent.post('/write').set(SENT)
      const sent = await files.set('content-type', 'multipart/form-data; boundary=b').send('--b--')
      // A framework without a parser of files may refuse the form before any guard runs.
      if (sent.status !== 415) linkOnLoss(sent)
      const { agent } = await site.user()
      linkOnLoss(await agent.post('/strong').set(SENT).type('form').send({ text: 'letter' }))
    },
  ],
  [
    'only a person at a page of this site is told that a form is lost',
    async ({ open, provider }) => {
      const site = await opened(open, {})
      const { agent } = site.visitor()
      const other = { ...SENT, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
      const elsewhere = await agent.post('/write').set(other).type('form').send({ text: 'letter' })
      assert.ok(elsewhere.headers.refresh?.startsWith(`0;url=${provider.issuer}`), elsewhere.text)
      const script = { ...SENT, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
      const refused = await agent.post('/write').set(script).set('accept', 'application/json')
      assert.equal(refused.status, 401)
    },
  ],
  [
    'a person whose form is kept goes to the login at once, and one whose form is too large is told',
    async ({ open, provider }) => {
      const site = await opened(open, KEPT, 'none')
      const send = (text: string) =>
        site.visitor().agent.post('/write').set(SENT).type('form').send({ text })
      const kept = await send('letter')
      assert.ok(kept.headers.refresh?.startsWith(`0;url=${provider.issuer}`), kept.text)
      linkOnLoss(await send('x'.repeat(65_536)))
    },
    NO_ROOM,
  ],
]

const journeys: readonly Case[] = [
  ...PARSERS.map(
    (parser): Case => [
      `what a user wrote is shown after the login and sent with one click, with a body parser ${parser === 'none' ? 'nowhere' : parser === 'before' ? 'in front of the kit' : 'behind it'}`,
      async ({ open }) => {
        const site = await opened(open, KEPT, parser)
        const ada = await loggedOut(site)
        const { page } = await keptPage(site, ada)
        assertPrivate(page)
        assert.match(page.text, /Send what you wrote\?/)
        assert.deepEqual(site.handled, [])
        const { action, fields } = formOf(page)
        assert.deepEqual(fields, [['text', TEXT]])
        const sent = await ada.post(action, Object.fromEntries(fields))
        assert.deepEqual([sent.status, pathOf(sent)], [307, '/write'])
        // Without a parser, some frameworks accept no form at all.
        if (parser === 'none') return
        const done = await ada.post(pathOf(sent), Object.fromEntries(fields))
        assert.deepEqual(JSON.parse(done.text), ['ada', { text: TEXT }])
      },
      NO_ROOM,
    ],
  ),
  [
    'without the option a form behind a guard is not kept',
    async ({ open }) => {
      const site = await opened(open, {})
      const ada = await loggedOut(site)
      const begun = await ada.post('/write', { text: TEXT })
      assert.equal(cookiesOf(begun).filter((line) => line.includes('forms')).length, 0)
      assert.equal(await throughLogin(site, ada, begun), '/')
    },
    NO_ROOM,
  ],
  [
    'fields named like passwords and tokens, and those that the application names, are not kept',
    async ({ open }) => {
      const site = await opened(open, { keepForms: { except: ['cardNumber'] } })
      const ada = await loggedOut(site)
      const secrets = { password: 'hunter22', newPasswd: 'hunter23', _csrf: 'hunter24' }
      const more = { 'access-token': 'hunter25', client_secret: 'hunter26', CardNumber: 'hunter27' }
      const { page } = await keptPage(site, ada, { text: 'letter', ...secrets, ...more })
      assert.deepEqual(formOf(page).fields, [['text', 'letter']])
      assert.doesNotMatch(page.text, /hunter/)
      for (const name of Object.keys({ ...secrets, ...more })) assert.ok(page.text.includes(name))
    },
    NO_ROOM,
  ],
  [
    'what was written is shown as text, never as markup',
    async ({ open }) => {
      const site = await opened(open)
      const ada = await loggedOut(site)
      const attack = `"><script>alert('1')</script>`
      const { page } = await keptPage(site, ada, { [attack]: attack })
      assert.doesNotMatch(page.text, /<script|alert\('/)
      assert.deepEqual(formOf(page).fields, [[attack, attack]])
      assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
    },
    NO_ROOM,
  ],
  [
    'a page in German asks in German',
    async ({ open }) => {
      const site = await opened(open)
      const ada = await loggedOut(site)
      const { path } = await keptPage(site, ada)
      const page = await ada.agent.get(path).set(PAGE).set('accept-language', 'de')
      assert.match(page.text, /<html lang="de">.*Geschriebenes senden\?/)
    },
    NO_ROOM,
  ],
  [
    'a form of more than 64 KiB is not kept, and its writer logs in all the same',
    async ({ open }) => {
      const site = await opened(open, KEPT, 'none')
      const ada = await loggedOut(site)
      const begun = await ada.post('/write', { text: 'x'.repeat(65_536) })
      assert.equal(await throughLogin(site, ada, begun), '/')
    },
    NO_ROOM,
  ],
  [
    'a program gets 401, and nothing of it is kept',
    async ({ open }) => {
      const site = await opened(open)
      const { agent } = site.visitor()
      const asked = agent.post('/write').set({ accept: 'application/json', origin: BASE_URL })
      const answer = await asked.type('form').send({ text: TEXT })
      assert.equal(answer.status, 401)
      assert.deepEqual(
        site.store.calls.filter((name) => name === 'set'),
        [],
      )
    },
    NO_ROOM,
  ],
]

const bounds: readonly Case[] = [
  [
    'a form survives a login whose answer is a form of another site, with a cookie for all sites',
    async ({ open, provider }) => {
      // Browsers send such cookies only over HTTPS, so this case sends them itself, and no others.
      const baseUrl = 'https://app.example.com'
      const session = { cookie: { sameSite: 'none' } } as AuthOptions['session']
      const site = await opened(open, {
        ...{ ...KEPT, baseUrl, responseMode: 'form_post' },
        ...(session && { session }),
      })
      const begun = await site.visitor().post('/write', { text: TEXT }, { origin: baseUrl })
      const fromElsewhere = cookiesOf(begun).filter((line) => /; samesite=none/i.test(line))
      const sent = (await (await fetch(locationOf(begun))).json()) as { fields: object }
      const callback = site.request(site.server).post('/callback').type('form')
      const answer = await callback
        .set({ origin: provider.issuer, cookie: pairsOf(fromElsewhere) })
        .send(sent.fields)
      const path = new URL(String(answer.headers.location), baseUrl)
      const cookie = pairsOf([...fromElsewhere, ...cookiesOf(answer)])
      const opening = site.request(site.server).get(path.pathname + path.search)
      assert.deepEqual(formOf(await opening.set({ ...PAGE, cookie })).fields, [['text', TEXT]])
    },
    NO_ROOM,
  ],
  [
    'two tabs that send a form at the same time both get it back after the login',
    async ({ open }) => {
      const site = await opened(open)
      const visitor = site.visitor()
      const texts = ['one', 'another']
      const begun = await Promise.all(texts.map((text) => visitor.post('/write', { text })))
      for (const [at, text] of texts.entries()) {
        const path = await throughLogin(site, visitor, begun[at] as Response)
        assert.deepEqual(formOf(await visitor.open(path)).fields, [['text', text]])
      }
    },
    NO_ROOM,
  ],
  [
    'without the option the log says that a form of this site was lost, and says nothing of others',
    async ({ open }) => {
      const lines: string[] = []
      const log = (...line: unknown[]): void => void lines.push(JSON.stringify(line))
      const site = await opened(open, { logger: { info: log, warn: log, error: log } })
      const lost = (): string[] => lines.filter((line) => line.includes('LATCHKEY_FORM_NOT_KEPT'))
      for (const headers of ELSEWHERE) await site.visitor().post('/write', { text: TEXT }, headers)
      assert.deepEqual(lost(), [])
      await site.visitor().post('/write?secret=1', { text: TEXT })
      assert.equal(lost().length, 1)
      assert.match(String(lost()[0]), /keepForms.*\/write\./)
      assert.doesNotMatch(String(lost()[0]), /letter|secret=1/)
    },
    NO_ROOM,
  ],
  [
    'a stranger’s largest forms stay within a share, and a session and a user’s form outlive them',
    async ({ open }) => {
      const site = await opened(open)
      const [ada, writer] = [await site.user(), await loggedOut(site)]
      const begun = await writer.post('/write', { text: TEXT })
      // This is about the largest form that the frameworks' body parsers accept by default.
      const large = { text: 'x'.repeat(50_000) }
      const ids: string[] = []
      for (let n = 0; n < 90; n++) {
        const sent = await site.visitor().post('/write', large)
        const [, id = ''] = /\.forms\.([\w-]{22})=/.exec(cookiesOf(sent).join('\n')) ?? []
        ids.push(id)
      }
      const kept = await Promise.all(ids.map((id) => site.store.store.get(`form.${id}`)))
      const bytes = kept.map((record) => (record ? JSON.stringify(record).length : 0))
      const total = bytes.reduce((sum, one) => sum + one, 0)
      assert.ok(total > 1_000_000, `${total} bytes: the newest are kept`)
      assert.ok(total <= 4 * 1024 * 1024, `${total} bytes are kept`)
      assert.equal((await ada.open('/private')).status, 200)
      formOf(await writer.open(await throughLogin(site, writer, begun)))
    },
    NO_ROOM,
  ],
]

const attacks: readonly Case[] = [
  [
    'a form of another site, or of no known page, is not kept',
    async ({ open }) => {
      const site = await opened(open)
      for (const headers of ELSEWHERE) {
        const visitor = site.visitor()
        const begun = await visitor.post('/write', { text: TEXT }, headers)
        assert.equal(await throughLogin(site, visitor, begun), '/', JSON.stringify(headers))
      }
      assert.deepEqual(site.handled, [])
    },
    NO_ROOM,
  ],
  [
    'another site cannot send a kept form, and does not use it up',
    async ({ open }) => {
      const site = await opened(open)
      const ada = await loggedOut(site)
      const { page } = await keptPage(site, ada)
      const { action } = formOf(page)
      for (const headers of ELSEWHERE) {
        const answer = await ada.post(action, { text: 'forged' }, headers)
        assert.equal(answer.status, 403, JSON.stringify(headers))
      }
      assert.equal((await ada.post(action, { text: TEXT })).status, 307)
    },
    NO_ROOM,
  ],
  [
    'a kept form is sent once, however often its button is pressed',
    async ({ open }) => {
      const site = await opened(open)
      const ada = await loggedOut(site)
      const { path, page } = await keptPage(site, ada)
      const { action } = formOf(page)
      const sent = await Promise.all([1, 2, 3].map(() => ada.post(action, { text: TEXT })))
      assert.deepEqual(sent.map(({ status }) => status).sort(), [307, 410, 410])
      gone(await ada.open(path))
      gone(await ada.post(action, { text: TEXT }))
    },
    NO_ROOM,
  ],
  [
    'another browser does not get a kept form, although the same user is logged in there',
    async ({ open }) => {
      const site = await opened(open)
      const ada = await loggedOut(site)
      const { path } = await keptPage(site, ada)
      const other = await site.user()
      gone(await other.open(path))
      gone(await other.post(path, { text: TEXT }))
      const stranger = await site.visitor().open(path)
      assert.equal(locationOf(stranger).origin, new URL(site.provider.issuer).origin)
      formOf(await ada.open(path))
    },
    NO_ROOM,
  ],
  [
    'another user of the same browser does not get a kept form, and its writer does',
    async ({ open, provider }) => {
      const site = await opened(open)
      const ada = await loggedOut(site)
      const begun = await ada.post('/write', { text: TEXT })
      const before = provider.user
      provider.user = { sub: 'bob', name: 'Bob' }
      const path = await throughLogin(site, ada, begun)
      gone(await ada.open(path))
      gone(await ada.post(path, { text: TEXT }))
      provider.user = before
      await ada.post('/logout')
      await ada.logIn()
      formOf(await ada.open(path))
    },
    NO_ROOM,
  ],
  [
    'a user who is asked for a stronger login gets what they wrote, and no other user does',
    async ({ open, provider }) => {
      const stronger: TestRoute = { ...write, path: '/strong', requirement: { acr: ['mfa'] } }
      const site = await open({ parser: 'after', options: KEPT, routes: [stronger] })
      const before = provider.user
      const ada = await site.user()
      const begin = () => ada.post('/strong', { text: TEXT })
      const [first, second] = [await begin(), await begin()]
      provider.user = { ...before, acr: 'mfa' }
      formOf(await ada.open(await throughLogin(site, ada, first)))
      provider.user = { sub: 'bob', acr: 'mfa' }
      gone(await ada.open(await throughLogin(site, ada, second)))
    },
    NO_ROOM,
  ],
  [
    'what the user of an adopted session wrote is not for another user of the browser',
    async ({ open, provider }) => {
      const read = (): object => ({ user: { sub: 'ada' } })
      const session = { adopt: { cookie: 'oldSession', read } } as AuthOptions['session']
      const site = await opened(open, { ...KEPT, ...(session && { session }) })
      const ada = site.visitor()
      ada.agent.jar.setCookie('oldSession=1', '127.0.0.1', '/')
      assert.equal((await ada.open('/private')).text, 'private to ada')
      await ada.post('/logout')
      const begun = await ada.post('/write', { text: TEXT })
      provider.user = { sub: 'bob' }
      gone(await ada.open(await throughLogin(site, ada, begun)))
    },
    NO_ROOM,
  ],
  [
    'a kept form is gone after ten minutes',
    async ({ open }) => {
      let later = 0
      const now = (): number => Math.floor(Date.now() / 1000) + later
      const site = await opened(open, { ...KEPT, now })
      const ada = await loggedOut(site)
      const { path } = await keptPage(site, ada)
      later = 590
      formOf(await ada.open(path))
      later = 601
      gone(await ada.open(path))
    },
    NO_ROOM,
  ],
  [
    'neither the session store, nor an address, nor a cookie, nor the log has what was written',
    async ({ open }) => {
      const lines: unknown[] = []
      const log = (...line: unknown[]): void => void lines.push(line)
      const logger = { info: log, warn: log, error: log }
      const site = await opened(open, { ...KEPT, logger })
      const ada = await loggedOut(site)
      const begun = await ada.post('/write', { text: 'unmistakable' })
      const path = await throughLogin(site, ada, begun)
      const id = new URL(path, BASE_URL).searchParams.get('id') ?? ''
      const stored = await site.store.store.get(`form.${id}`)
      assert.ok(stored, 'the form is in the store')
      for (const place of [stored, begun.headers, path, lines]) {
        const text = JSON.stringify(place)
        assert.doesNotMatch(text, /unmistakable/)
        assert.ok(!text.includes(Buffer.from('unmistakable').toString('base64url').slice(0, 12)))
      }
    },
    NO_ROOM,
  ],
]

export const keptForms: readonly Case[] = [...losses, ...journeys, ...bounds, ...attacks]
