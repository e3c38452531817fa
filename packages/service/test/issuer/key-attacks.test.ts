import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Said } from '../../../testing/src/identity/virtual-key.ts'
import type { ProtocolStore } from '../../src/store/protocol-store.ts'
import type { HardwareCredential, User } from '../../src/store/records.ts'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { allStoreKinds, type StoreKind, startIssuer, type TestIssuer } from './support/issuer.ts'
import { addOn, answer, createVirtualKey, giveKey, optionsOn, RP_ID } from './support/keys.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const grace = { email: 'grace@example.com', password: 'another horse battery' }
const SECURITY = '/account/security'

afterEach(() => {
  vi.useRealTimers()
})

async function start(
  store: StoreKind,
  member: { email: string; password?: string } = ada,
  options: Parameters<typeof startIssuer>[0] = {},
) {
  const issuer = await startIssuer({ store, settings: { allowHardware: true }, ...options })
  const user = await issuer.addUser(member)
  const app = await createClient(issuer)
  return { issuer, user, app, browser: createBrowser(issuer) }
}

/** Holds the first that is about to spend something, until it is let go. */
function holdFirst(kind: string) {
  const [came, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isFirst = true
  const wrap = (protocol: ProtocolStore): ProtocolStore => ({
    ...protocol,
    async consume(name, payload) {
      if (name.kind === kind && isFirst) {
        isFirst = false
        came.resolve()
        await gate.promise
      }
      return protocol.consume(name, payload)
    },
  })
  return { wrap, hasCome: came.promise, letGo: gate.resolve }
}

const hasCode = ({ location }: Page) => location?.includes('code=') === true

/** A key whose browser, or which itself, says something else from `startRogue` on. */
function rogueKey(change: (said: Said) => Said, options = {}) {
  let isRogue = false
  const key = createVirtualKey(options, (said) => (isRogue ? change(said) : said))
  return {
    ...key,
    startRogue: () => {
      isRogue = true
    },
  }
}

function withFlags(change: (flags: number) => number) {
  return ({ client, data }: Said): Said => {
    const changed = Buffer.from(data)
    changed.writeUInt8(change(changed.readUInt8(32)), 32)
    return { client, data: changed }
  }
}

function withClient(members: Record<string, unknown>) {
  return ({ client, data }: Said): Said => ({ client: { ...client, ...members }, data })
}

/** What is known of a user's keys, as text. */
async function keysOf({ domain, tenant }: TestIssuer, user: User): Promise<HardwareCredential[]> {
  const page = { after: undefined, limit: 100 }
  const listed = await domain.store.credentials.list(tenant.id, user.id, page)
  return (listed?.items ?? []).filter((credential) => credential.kind === 'hardware')
}

/** What the script of a page sends. */
interface Sent {
  id: string
  response: Record<string, unknown>
}

/** What is sent, changed after it was signed. */
function changed(text: string, change: (said: Sent) => unknown): string {
  return JSON.stringify(change(JSON.parse(text)))
}

const base64url = (value: string) => Buffer.from(value).toString('base64url')

/** What a rogue says at a login, and what the audit log says of it. */
const rogueSays: Record<string, [string, (said: Said) => Said]> = {
  'another origin': ['wrong_origin', withClient({ origin: 'https://evil.example' })],
  'the origin with another port': ['wrong_origin', withClient({ origin: `http://${RP_ID}:1` })],
  'that it runs in a frame': ['wrong_origin', withClient({ crossOrigin: true })],
  'that it runs in a frame of this very site': [
    'wrong_origin',
    withClient({ crossOrigin: true, topOrigin: `http://${RP_ID}` }),
  ],
  'another challenge': ['wrong_challenge', withClient({ challenge: base64url('x'.repeat(32)) })],
  'no challenge': ['wrong_challenge', withClient({ challenge: undefined })],
  'that a key was made': ['wrong_type', withClient({ type: 'webauthn.create' })],
  'another RP ID': [
    'wrong_rp',
    ({ client, data }) => ({
      client,
      data: Buffer.concat([Buffer.alloc(32, 1), data.subarray(32)]),
    }),
  ],
  'that no user was present': ['no_presence', withFlags((flags) => flags & ~0x01)],
  'that no user was verified': ['no_verification', withFlags((flags) => flags & ~0x04)],
  'that it can be copied after all': ['wrong_flags', withFlags((flags) => flags | 0x08)],
  'that it is copied and cannot be': ['wrong_flags', withFlags((flags) => flags | 0x10)],
  'the counter of before': [
    'counter_back',
    ({ client, data }) => {
      const before = Buffer.from(data)
      before.writeUInt32BE(1, 33)
      return { client, data: before }
    },
  ],
  'less than an authenticator says': [
    'malformed',
    ({ client, data }) => ({ client, data: data.subarray(0, 36) }),
  ],
}

/** What is changed in an assertion after it was signed, and what the audit log says of it. */
const forgeries: Record<string, [string, (said: Sent) => unknown]> = {
  'another id': ['unknown_key', (said) => ({ ...said, id: 'AAAA', rawId: 'AAAA' })],
  'two ids': ['malformed', (said) => ({ ...said, rawId: 'AAAA' })],
  'another spelling of the id': [
    'malformed',
    (said) => ({ ...said, id: `${said.id}=`, rawId: `${said.id}=` }),
  ],
  'no user': [
    'malformed',
    (said) => ({ ...said, response: { ...said.response, userHandle: null } }),
  ],
  'a user that does not exist': [
    'unknown_key',
    (said) => ({
      ...said,
      response: { ...said.response, userHandle: base64url(`usr_${'0'.repeat(26)}`) },
    }),
  ],
  'a user that is no id': [
    'unknown_key',
    (said) => ({
      ...said,
      response: { ...said.response, userHandle: base64url("' OR 1=1 --\u0000") },
    }),
  ],
  'another signature': [
    'wrong_signature',
    (said) => ({ ...said, response: { ...said.response, signature: base64url('x'.repeat(70)) } }),
  ],
  'more than fits': [
    'malformed',
    (said) => ({ ...said, response: { ...said.response, signature: 'A'.repeat(20_000) } }),
  ],
  'no response': ['malformed', (said) => ({ ...said, response: null })],
  'a list': ['malformed', (said) => [said]],
  'another type': ['malformed', (said) => ({ ...said, type: 'password' })],
  nothing: ['malformed', () => null],
}

/** A page that asks for a key, where it was opened, and a right answer to it. */
interface Question {
  browser: Browser
  page: Page
  credential: string
}

describe.each(allStoreKinds)('on %s', (store) => {
  test.each(Object.entries(rogueSays))(
    'a passkey or browser that says %s logs nobody in, and nothing is written',
    async (_name, [reason, change]) => {
      const { issuer, user, app, browser } = await start(store, { email: ada.email })
      await using _ = issuer
      const key = rogueKey(change, { isSyncable: false })
      await giveKey(issuer, user, key)
      const before = await keysOf(issuer, user)
      key.startRogue()

      const page = await answer(issuer, browser, await browser.get((await app.begin()).url), key)

      expect(page.status).toBe(422)
      expect(await issuer.actions()).toContain(`login.key_${reason}`)
      expect(await keysOf(issuer, user)).toEqual(before)
      expect(await issuer.protocol.listByAccount(issuer.tenant.id, 'Session', user.id)).toEqual([])
      expect(issuer.problems).toEqual([])
    },
  )

  test.each(Object.entries(forgeries))(
    'an answer with %s logs nobody in, and nothing is written',
    async (_name, [reason, change]) => {
      const { issuer, user, app, browser } = await start(store, { email: ada.email })
      await using _ = issuer
      const key = createVirtualKey()
      await giveKey(issuer, user, key)
      const before = await keysOf(issuer, user)
      const form = await browser.get((await app.begin()).url)

      const credential = changed(key.get(optionsOn(form), issuer.url), change)
      const page = await browser.submit(form, { credential })

      expect(page.status).toBe(422)
      expect(await issuer.actions()).toContain(`login.key_${reason}`)
      expect(await keysOf(issuer, user)).toEqual(before)
      expect(issuer.problems).toEqual([])
    },
  )

  test('a key says nothing about another user: neither in the first step nor in the second', async () => {
    const { issuer, user, app, browser } = await start(store)
    await using _ = issuer
    const other = await issuer.addUser(grace)
    const [hers, adas] = [createVirtualKey(), createVirtualKey()]
    await giveKey(issuer, other, hers)
    await giveKey(issuer, user, adas)
    const form = await browser.get((await app.begin()).url)
    const asAda = changed(hers.get(optionsOn(form), issuer.url), (said) => ({
      ...said,
      response: { ...said.response, userHandle: base64url(user.id) },
    }))
    expect((await browser.submit(form, { credential: asAda })).status).toBe(422)

    const { browser: second, callback: page } = await logIn(issuer, app, ada)
    const { challenge, rpId } = optionsOn(page)
    const credential = hers.get({ challenge, rpId }, issuer.url)
    expect((await second.submit(page, { credential })).status).toBe(422)
    expect((await keysOf(issuer, other))[0]?.state.usedAt).toBeUndefined()
    expect(hasCode(await answer(issuer, second, await second.get(page.url), adas))).toBe(true)
  })

  test('a response of a key is accepted once, in its own login, its own browser and for its own challenge', async () => {
    const { issuer, user, app, browser } = await start(store)
    await using _ = issuer
    const key = createVirtualKey()
    await giveKey(issuer, user, key)
    const form = await browser.get((await app.begin()).url)
    const credential = key.get(optionsOn(form), issuer.url)

    const stranger = createBrowser(issuer)
    const elsewhere = await stranger.get((await app.begin()).url)
    expect((await stranger.submit(elsewhere, { credential })).status).toBe(422)
    const otherTab = await browser.get((await app.begin()).url)
    expect((await browser.submit(otherTab, { credential })).status).toBe(422)

    const { browser: second, callback: factor } = await logIn(issuer, app, ada)
    expect((await second.submit(factor, { credential })).status).toBe(422)
    const again = await second.get(factor.url)
    const forFactor = key.get(optionsOn(again), issuer.url)
    expect(
      (
        await stranger.submit(await stranger.get((await app.begin()).url), {
          credential: forFactor,
        })
      ).status,
    ).toBe(422)

    expect(hasCode(await browser.submit(form, { credential }))).toBe(true)
    const replayed = await browser.submit(
      await browser.get((await app.begin({ prompt: 'login' })).url),
      { credential },
    )
    expect(replayed.status).toBe(422)
    expect(issuer.problems).toEqual([])
  })

  test('an answer to one question is none to another, of the same user: first step, second step, adding during a login, adding on the account page', async () => {
    const { issuer, user, app } = await start(store)
    await using _ = issuer
    const key = createVirtualKey()
    await giveKey(issuer, user, key)
    const bob = { ...ada, email: 'bob@example.com' }
    const other = await issuer.addUser(bob)
    const added = createVirtualKey()

    /** A question: the page that asks it in a browser of its own, and the right answer. */
    const questions: Record<string, () => Promise<Question>> = {
      'first step': async () => {
        const browser = createBrowser(issuer)
        const page = await browser.get((await app.begin()).url)
        return { browser, page, credential: key.get(optionsOn(page), issuer.url) }
      },
      'second step': async () => {
        const { browser, callback: page } = await logIn(issuer, app, ada)
        return { browser, page, credential: key.get(optionsOn(page), issuer.url) }
      },
      'adding during a login': async () => {
        const asked = { acr_values: 'phr' }
        const { browser, callback: page } = await logIn(issuer, app, bob, undefined, asked)
        return { browser, page, credential: added.create(optionsOn(page, 'passkey'), issuer.url) }
      },
      'adding on the account page': async () => {
        const { browser } = await logIn(issuer, app, bob)
        const page = await browser.get(`${SECURITY}/add?kind=hardware`)
        return { browser, page, credential: added.create(optionsOn(page, 'passkey'), issuer.url) }
      },
    }
    for (const [place, ask] of Object.entries(questions)) {
      for (const [name, askElsewhere] of Object.entries(questions)) {
        if (name === place) continue
        const { browser, page } = await ask()
        const { credential } = await askElsewhere()
        const answered = await browser.submit(page, { credential })
        expect([name, place, hasCode(answered), answered.status]).toEqual([name, place, false, 422])
      }
    }
    expect(await keysOf(issuer, other)).toEqual([])
    expect((await keysOf(issuer, user)).map(({ state }) => state.usedAt)).toEqual([undefined])
    expect(issuer.problems).toEqual([])
  })

  test('of parallel responses with the same challenge, one is verified', async () => {
    const { issuer, user, app, browser } = await start(store)
    await using _ = issuer
    const key = createVirtualKey()
    await giveKey(issuer, user, key)
    const form = await browser.get((await app.begin()).url)
    const credential = key.get(optionsOn(form), issuer.url)

    await Promise.all([1, 2, 3, 4].map(() => browser.submitOnly(form, { credential })))

    const actions = await issuer.actions()
    expect(actions.filter((action) => action === 'credential.use')).toHaveLength(1)
    expect(actions.filter((action) => action === 'login.succeeded')).toHaveLength(1)
  })

  test('an answer to a question that another answer has used up is not taken for the next question', async () => {
    const held = holdFirst('KeyChallenge')
    const { issuer, user, app, browser } = await start(store, ada, { wrap: held.wrap })
    await using _ = issuer
    const key = createVirtualKey()
    await giveKey(issuer, user, key)
    const form = await browser.get((await app.begin()).url)
    const credential = key.get(optionsOn(form), issuer.url)

    const late = browser.submitOnly(form, { credential })
    await held.hasCome
    expect((await browser.submitOnly(form, { credential: '{}' })).status).toBe(422)
    held.letGo()
    expect((await late).status).toBe(422)
    expect(await issuer.actions()).not.toContain('credential.use')
  })

  test('the server checks the properties that the page demands of a new key', async () => {
    const { issuer, user, app } = await start(store)
    await using _ = issuer
    const { browser } = await logIn(issuer, app, ada)
    const form = () => browser.get(`${SECURITY}/add`)
    const refused = async (page: Page) => {
      expect(page.status).toBe(422)
      expect(await keysOf(issuer, user)).toEqual([])
      return page
    }

    const pinless = createVirtualKey({ verifiesUser: false })
    const page = await refused(await addOn(issuer, browser, await form(), pinless))
    expect(page.html).toContain('needs a PIN')
    expect(page.html).toContain('Add a security key as a second step')

    const key = createVirtualKey()
    for (const change of [
      // Not discoverable, where the page asked for a passkey.
      (said: Sent) => ({ ...said, clientExtensionResults: { credProps: { rk: false } } }),
      // ML-DSA-44 and ES384: algorithms that were not offered.
      (said: Sent) =>
        withAttestation(said, (text) => text.replace('010203262001', '010203382f2001')),
      (said: Sent) =>
        withAttestation(said, (text) => text.replace('010203262001', '01020338222001')),
      // An id that the key itself does not say.
      (said: Sent) => ({ ...said, id: 'AAAA', rawId: 'AAAA' }),
      // Made by a format that brings certificates.
      (said: Sent) => withAttestation(said, (text) => text.replace('646e6f6e65', '656170706c65')),
      (said: Sent) => withAttestation(said, (text) => text.slice(0, 60)),
      (said: Sent) => withAttestation(said, () => 'ff'),
    ]) {
      const shown = await form()
      const credential = changed(key.create(optionsOn(shown, 'passkey'), issuer.url), change)
      await refused(await browser.submit(shown, { credential, use: 'passkey' }))
    }
    for (const change of [
      withClient({ type: 'webauthn.get' }),
      withClient({ origin: 'https://evil.example' }),
      withClient({ crossOrigin: true }),
      withClient({ challenge: 'AAAA' }),
      withFlags((flags) => flags & ~0x01),
      withFlags((flags) => (flags | 0x10) & ~0x08),
      ({ client, data }: Said) => ({
        client,
        data: Buffer.concat([Buffer.alloc(32), data.subarray(32)]),
      }),
    ]) {
      const rogue = rogueKey(change)
      rogue.startRogue()
      await refused(await addOn(issuer, browser, await form(), rogue))
    }
    const answerOfLogin = createVirtualKey()
    const asked = await form()
    answerOfLogin.create(optionsOn(asked, 'passkey'), issuer.url)
    const { challenge } = optionsOn(asked, 'passkey')
    const credential = answerOfLogin.get({ challenge, rpId: RP_ID }, issuer.url)
    await refused(await browser.submit(asked, { credential, use: 'passkey' }))
    expect(issuer.problems).toEqual([])
  })

  test('the response that created a key cannot create a second one, nor one for another user', async () => {
    const { issuer, user, app } = await start(store)
    await using _ = issuer
    const other = await issuer.addUser(grace)
    const { browser } = await logIn(issuer, app, ada)
    const hers = await logIn(issuer, app, grace)
    const form = await browser.get(`${SECURITY}/add`)
    const herForm = await hers.browser.get(`${SECURITY}/add`)
    const credential = createVirtualKey().create(optionsOn(form, 'passkey'), issuer.url)

    expect((await hers.browser.submit(herForm, { credential, use: 'passkey' })).status).toBe(422)
    await Promise.all([1, 2, 3].map(() => browser.submitOnly(form, { credential, use: 'passkey' })))

    expect(await keysOf(issuer, user)).toHaveLength(1)
    expect(await keysOf(issuer, other)).toEqual([])
  })

  test('keys of another user are neither renamed nor removed', async () => {
    const { issuer, user, app } = await start(store)
    await using _ = issuer
    await giveKey(issuer, user, createVirtualKey())
    await issuer.addUser(grace)
    const hers = await logIn(issuer, app, grace)
    const [key] = await keysOf(issuer, user)
    const own = createVirtualKey()
    const codes = await addOn(issuer, hers.browser, await hers.browser.get(`${SECURITY}/add`), own)
    const page = await answer(issuer, hers.browser, await hers.browser.submit(codes), own)

    await hers.browser.submit(page, { remove: key?.id ?? '' })
    await hers.browser.submit(page, { rename: key?.id ?? '', name: 'Mine' })

    expect(await keysOf(issuer, user)).toEqual([key])
  })

  test('wrong answers in a second step are counted as wrong codes are', async () => {
    const { issuer, user, app } = await start(store)
    await using _ = issuer
    const key = createVirtualKey()
    await giveKey(issuer, user, key)
    const { browser, callback } = await logIn(issuer, app, ada)

    let page = callback
    for (let i = 0; i < 5; i++) {
      page = await browser.submit(callback, { credential: '{}' })
      expect(page.status).toBe(422)
    }
    page = await browser.submit(callback, { credential: '{}' })

    expect(page.status).toBe(429)
    expect(page.html).toContain('Please log in again')
    expect((await issuer.mails())[0]?.subject).toContain('Another person knows your password')
  })

  test('failed answers of a network are counted, and those of others go on', async () => {
    const loginPerClient = { free: 3, baseSeconds: 60, maxSeconds: 60, forgetSeconds: 600 }
    const issuer = await startIssuer({
      store,
      settings: { allowHardware: true },
      limits: { loginPerClient },
      trustedProxies: ['127.0.0.1'],
    })
    await using _ = issuer
    const user = await issuer.addUser(ada)
    const key = createVirtualKey()
    await giveKey(issuer, user, key)
    const app = await createClient(issuer)
    const from = async (address: string) => {
      const browser = createBrowser(issuer)
      browser.headers['x-forwarded-for'] = address
      return { browser, form: await browser.get((await app.begin()).url) }
    }
    const { browser, form } = await from('198.51.100.7')
    for (let i = 0; i < 4; i++) await browser.submit(form, { credential: '{}' })

    expect((await browser.submit(form, { credential: '{}' })).status).toBe(429)
    const elsewhere = await from('203.0.113.9')
    expect(hasCode(await answer(issuer, elsewhere.browser, elsewhere.form, key))).toBe(true)
  })
})

/** Changes the attestation object, as hexadecimal. */
function withAttestation(said: Sent, change: (text: string) => string): unknown {
  const text = Buffer.from(String(said.response.attestationObject), 'base64url').toString('hex')
  const attestationObject = Buffer.from(change(text), 'hex').toString('base64url')
  return { ...said, response: { ...said.response, attestationObject } }
}
