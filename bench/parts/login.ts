import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  randomBytes,
  randomUUID,
  sign,
} from 'node:crypto'
import { Agent, request as send } from 'node:http'
import type { VirtualKey } from '../../packages/testing/src/identity/virtual-key.ts'

/** The client of an issuer under test. */
export interface BenchClient {
  host: string
  id: string
  secret: string
  /** The private key of a client on FAPI 2.0. */
  key?: KeyObject
}

interface Answer {
  status: number
  location: string
  dpopNonce: string | undefined
  cookies: string[]
  body: string
}

/** A JWT with ES256. */
function signed(header: object, claims: object, key: KeyObject | undefined): string {
  if (!key) throw new Error('The client has no key.')
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${encode({ alg: 'ES256', ...header })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

/** A user who logs in at an issuer. */
export type Logins = ReturnType<typeof createLogins>

const REDIRECT_URI = 'http://localhost:3000/callback'

/** Logs in at an issuer on local ports, which get the requests in turn, as a browser and an application do together. */
export function createLogins(ports: number | readonly number[], client: BenchClient) {
  const agent = new Agent({ keepAlive: true })
  const all = [ports].flat()
  let turn = 0

  function ask(method: string, path: string, cookies: string[], body?: string, more = {}) {
    return new Promise<Answer>((resolve, reject) => {
      const headers = {
        host: client.host,
        accept: 'text/html',
        ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
        ...(body !== undefined && {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(body),
        }),
        ...more,
      }
      const port = all[turn++ % all.length]
      const options = { port, host: '127.0.0.1', method, path, headers, agent }
      const outgoing = send(options, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => {
          const { location = '', 'set-cookie': set = [], 'dpop-nonce': nonce } = response.headers
          const fresh = set.map((line) => line.split(';')[0] ?? '')
          resolve({
            status: response.statusCode ?? 0,
            location,
            dpopNonce: nonce === undefined ? undefined : String(nonce),
            cookies: fresh,
            body: text,
          })
        })
      })
      outgoing.on('error', reject).end(body)
    })
  }

  const pathOf = (location: string) => {
    const { pathname, search } = new URL(location, `http://${client.host}`)
    return pathname + search
  }

  /** The path that starts a login; a client on FAPI 2.0 pushes the parameters first. */
  async function authorization(verifier: string): Promise<string> {
    const query = new URLSearchParams({
      client_id: client.id,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'openid email profile',
      state: 'state',
      nonce: 'nonce',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    if (!client.key) return `/oidc/auth?${query}`
    const answer = await ask('POST', '/oidc/par', [], `${query}&${assertion()}`)
    if (answer.status !== 201) throw new Error(`The request was refused: ${answer.body}`)
    const { request_uri } = JSON.parse(answer.body) as { request_uri: string }
    return `/oidc/auth?${new URLSearchParams({ client_id: client.id, request_uri })}`
  }

  const issuer = `http://${client.host}`
  let nonce: string | undefined

  /** @see RFC 7523 §3 */
  function assertion(): URLSearchParams {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: client.id, sub: client.id, aud: issuer, jti: randomUUID() }
    return new URLSearchParams({
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: signed({}, { ...claims, iat: now, exp: now + 60 }, client.key),
    })
  }

  /** @see RFC 9449 §4.2 */
  function proof(keys: KeyPairKeyObjectResult): string {
    const { kty, crv, x, y } = keys.publicKey.export({ format: 'jwk' })
    const header = { typ: 'dpop+jwt', jwk: { kty, crv, x, y } }
    const iat = Math.floor(Date.now() / 1000)
    const claims = { htm: 'POST', htu: `${issuer}/oidc/token`, jti: randomUUID(), iat, nonce }
    return signed(header, claims, keys.privateKey)
  }

  /** Redeems a code with the key of a new session. */
  async function redeemBound(body: URLSearchParams): Promise<Answer> {
    const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const post = () =>
      ask('POST', '/oidc/token', [], `${body}&${assertion()}`, { dpop: proof(keys) })
    const answer = await post()
    const isStale = answer.status === 400 && answer.dpopNonce !== undefined
    nonce = answer.dpopNonce ?? nonce
    return isStale ? post() : answer
  }

  async function redeem(callback: string, verifier: string): Promise<void> {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: new URL(callback).searchParams.get('code') ?? '',
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier,
    })
    const basic = Buffer.from(`${client.id}:${client.secret}`).toString('base64')
    const authorization = `Basic ${basic}`
    const answer = client.key
      ? await redeemBound(body)
      : await ask('POST', '/oidc/token', [], body.toString(), { authorization })
    if (answer.status !== 200) throw new Error(`The code was refused: ${answer.body}`)
  }

  /** A login up to its form. */
  async function openForm() {
    const verifier = randomBytes(32).toString('base64url')
    const started = await ask('GET', await authorization(verifier), [])
    return openPage(started.location, started.cookies, verifier)
  }

  async function openPage(location: string, cookies: string[], verifier = '') {
    const { body } = await ask('GET', pathOf(location), cookies)
    const csrf = /name="csrf" value="([^"]*)"/.exec(body)?.[1] ?? ''
    const questions = [...body.matchAll(/data-options="([^"]*)"/g)]
    const question = (questions[0]?.[1] ?? '{}').replaceAll('&quot;', '"')
    const action = /action="([^"]*)" data-key/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? ''
    return { csrf, question, action, cookies, verifier }
  }

  return {
    /** Adds a passkey on the account page. */
    async addKey(key: VirtualKey): Promise<void> {
      const origin = `http://${client.host}`
      const sent = await ask('GET', '/account/security/add', [])
      const asked = await ask('GET', pathOf(sent.location), [])
      const login = await openPage(asked.location, asked.cookies)
      const fields = { csrf: login.csrf, email: 'ada@example.com', password: 'correct horse' }
      const body = new URLSearchParams(fields).toString()
      const proven = await ask('POST', pathOf(asked.location), login.cookies, body)
      const back = await ask('GET', pathOf(proven.location), login.cookies)
      const form = await openPage('/account/security/add', back.cookies)
      const credential = key.create(JSON.parse(form.question), origin)
      const added = new URLSearchParams({ csrf: form.csrf, credential, use: 'passkey', name: '' })
      const answer = await ask('POST', form.action, form.cookies, added.toString())
      if (answer.status !== 200) throw new Error(`The key was refused: ${answer.status}`)
    },
    /** A whole login with a passkey. */
    async withKey(key: VirtualKey): Promise<void> {
      const form = await openForm()
      const credential = key.get(JSON.parse(form.question), `http://${client.host}`)
      const body = new URLSearchParams({ csrf: form.csrf, credential }).toString()
      const sent = await ask('POST', form.action, form.cookies, body)
      const callback = await ask('GET', pathOf(sent.location), form.cookies)
      await redeem(callback.location, form.verifier)
    },
    /** A whole login with the form; answers with the cookies of the session. */
    async full(): Promise<string[]> {
      const verifier = randomBytes(32).toString('base64url')
      const started = await ask('GET', await authorization(verifier), [])
      const form = await ask('GET', pathOf(started.location), started.cookies)
      const csrf = /name="csrf" value="([^"]*)"/.exec(form.body)?.[1] ?? ''
      const fields = { csrf, email: 'ada@example.com', password: 'correct horse' }
      const body = new URLSearchParams(fields).toString()
      const sent = await ask('POST', pathOf(started.location), started.cookies, body)
      const callback = await ask('GET', pathOf(sent.location), started.cookies)
      await redeem(callback.location, verifier)
      return callback.cookies.filter((cookie) => !cookie.endsWith('='))
    },
    /** A login of a user who is logged in already. */
    async again(cookies: string[]): Promise<void> {
      const verifier = randomBytes(32).toString('base64url')
      const callback = await ask('GET', await authorization(verifier), cookies)
      await redeem(callback.location, verifier)
    },
    /** A request to the token endpoint that costs a look-up, for measuring how long it waits. */
    async refused(): Promise<void> {
      const basic = Buffer.from(`${client.id}:${client.secret}`).toString('base64')
      const body = 'grant_type=authorization_code&code=x&redirect_uri=x&code_verifier=x'
      await ask('POST', '/oidc/token', [], body, { authorization: `Basic ${basic}` })
    },
    discover: (host: string) =>
      ask('GET', '/.well-known/openid-configuration', [], undefined, { host }),
    close: () => agent.destroy(),
  }
}
