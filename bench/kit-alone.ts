import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { median, row } from './parts/numbers.ts'

/**
 * The kit's own CPU for a guarded page, a redirect to the provider and a callback: without Express, sockets, a provider
 * and Redis, whose client answers from memory. Two checkouts of this repository, each installed, are
 * in one process and take turns, so that other work on the machine hits both. The one that is loaded second is the
 * slower by a percent or two: run `kit-alone.ts ../before .` and `kit-alone.ts . ../before`.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 100)
const WARM_UP_ROUNDS = 30
const REQUESTS = Number(process.env.REQUESTS ?? 200)
const AT_ONCE = 16
const ONLY = process.env.ONLY?.split(';')

const issuer = 'http://127.0.0.1:9'
const secret = 'client-secret-0123456789-client-secret'
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'key', alg: 'ES256', use: 'sig' }
const metadata = {
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
  code_challenge_methods_supported: ['S256'],
}

/** The answers of the token endpoint, by their codes. */
const answers = new Map<string, string>()

function transport(url: string, { body = '' }: { readonly body?: string | undefined }) {
  const headers = [['content-type', 'application/json']]
  const text = url.endsWith('/jwks')
    ? JSON.stringify({ keys: [jwk] })
    : url.endsWith('/token')
      ? (answers.get(/code=(\w+)/.exec(body)?.[1] ?? '') ?? '{}')
      : JSON.stringify(metadata)
  return Promise.resolve({ status: 200, headers, body: text })
}

function tokens(nonce: string, sub: string): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer, aud: 'app', sub, name: 'Ada', email: 'ada@example.com' }
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${encode({ alg: 'ES256', kid: 'key' })}.${encode({ ...claims, iat: now, exp: now + 3600, nonce })}`
  const signature = sign('sha256', Buffer.from(signed), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
  })
  return JSON.stringify({
    access_token: createHash('sha256').update(nonce).digest('base64url'),
    token_type: 'Bearer',
    expires_in: 3600,
    id_token: `${signed}.${signature.toString('base64url')}`,
  })
}

/** A client of ioredis, as far as the store uses one: it answers in a later turn, as a socket does. */
function clientInMemory() {
  const values = new Map<string, Buffer>()
  let waiting: (() => void)[] = []
  const answer = (): void => {
    const all = waiting
    waiting = []
    for (const one of all) one()
  }
  const later = <T>(value: T): Promise<T> =>
    new Promise((done) => {
      if (waiting.length === 0) setImmediate(answer)
      waiting.push(() => done(value))
    })
  return {
    options: {},
    isCluster: false,
    on() {},
    getBuffer: (key: string) => later(values.get(key) ?? null),
    evalshaBuffer(_sha: string, keys: number, ...more: (string | Buffer)[]) {
      // The script of a new session is the one with a value of bytes.
      const value = more[keys]
      if (!Buffer.isBuffer(value)) return later(1)
      values.set(String(more[0]), value)
      return later(keys > 1 ? [1] : 1)
    },
  }
}

interface Sent {
  readonly status: number
  readonly location: string
  readonly cookies: readonly string[]
}

async function enter(checkout: string, where: 'memory' | 'Redis') {
  const load = (file: string) => import(pathToFileURL(resolve(checkout, 'packages', file)).href)
  const { createAuth } = await load('core/src/entry/index.ts')
  const { serveNode } = await load('core/src/entry/node.ts')
  const { createSessionStore } = await load('session-store/src/index.ts')
  const auth = createAuth(
    {
      ...{ issuer, clientId: 'app', clientSecret: secret, baseUrl: 'http://127.0.0.1:10' },
      session: {
        secret: 'session-secret-0123456789-session-secret',
        ...(where === 'Redis' && { store: createSessionStore({ client: clientInMemory() }) }),
      },
      logger: false,
    },
    { transport },
  )
  const requirement = {}
  const socket = new Socket()
  /** Serves one request behind a guard. */
  const ask = (url: string, cookie: string | undefined): Promise<Sent> =>
    new Promise((done, failed) => {
      const request = new IncomingMessage(socket)
      request.method = 'GET'
      request.url = url
      request.headers = { host: '127.0.0.1', accept: 'text/html', ...(cookie && { cookie }) }
      const response = new ServerResponse(request)
      response.end = (() => {
        if (!response.headersSent) response.writeHead(response.statusCode)
        done({
          status: response.statusCode,
          location: String(response.getHeader('location') ?? ''),
          cookies: [response.getHeader('set-cookie') ?? []].flat().map(String),
        })
        return response
      }) as never
      // biome-ignore lint/suspicious/noExplicitAny: the visit is that of another checkout
      const guard = (visit: any) => {
        const refusal = visit.admit(requirement)
        if (refusal) return refusal.then((answer: unknown) => visit.send(answer))
        if (visit.user().name !== 'Ada') failed(new Error('Another user is logged in.'))
        response.end()
      }
      Promise.resolve(serveNode(auth, request, response, guard)).catch(failed)
    })
  return { ask, costs: {} as Record<string, number[]> }
}

type Kit = Awaited<ReturnType<typeof enter>>

/** The `Cookie` header after these `Set-Cookie` lines. */
function cookieOf(lines: readonly string[]): string {
  const pairs = lines.map((line) => line.slice(0, line.indexOf(';')))
  return pairs.filter((pair) => !pair.endsWith('=')).join('; ')
}

async function measure<T>(
  kit: Kit,
  name: string,
  isKept: boolean,
  items: readonly T[],
  run: (item: T) => Promise<Sent>,
): Promise<Sent[]> {
  const sent: Sent[] = []
  let next = 0
  const work = async () => {
    while (next < items.length) {
      const at = next++
      sent[at] = await run(items[at] as T)
    }
  }
  const begun = process.cpuUsage()
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const { user, system } = process.cpuUsage(begun)
  if (isKept) {
    kit.costs[name] ??= []
    kit.costs[name].push((user + system) / items.length)
  }
  return sent
}

let logins = 0
async function turn(kit: Kit, isKept: boolean): Promise<void> {
  const pages = Array.from({ length: REQUESTS }, (_, n) => `/page/${n}`)
  const begun = await measure(kit, 'redirect', isKept, pages, (url) => kit.ask(url, undefined))
  const callbacks = begun.map(({ location, cookies }) => {
    const { searchParams } = new URL(location)
    const code = `code${++logins}`
    answers.set(code, tokens(searchParams.get('nonce') ?? '', `user-${logins % 1000}`))
    const url = `/callback?code=${code}&state=${searchParams.get('state')}`
    return { url, cookie: cookieOf(cookies) }
  })
  const ended = await measure(kit, 'callback', isKept, callbacks, ({ url, cookie }) =>
    kit.ask(url, cookie),
  )
  answers.clear()
  if (ended.some(({ status }) => status !== 303)) throw new Error(`${ended[0]?.status}`)
  const cookies = ended.map((one) => cookieOf(one.cookies)).slice(0, 50)
  const guarded = Array.from({ length: 2 * REQUESTS }, (_, n) => cookies[n % cookies.length])
  const served = await measure(kit, 'guarded', isKept, guarded, (cookie) =>
    kit.ask('/page', cookie),
  )
  if (served.some(({ status }) => status !== 200)) throw new Error(`${served[0]?.status}`)
}

const [first = '', second = '.'] = process.argv.slice(2)
for (const where of ['memory', 'Redis'] as const) {
  if (ONLY && !ONLY.includes(where)) continue
  const both = [await enter(first, where), await enter(second, where)] as const
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const kit of round % 2 ? both : both.toReversed()) await turn(kit, round >= 0)
  }
  const [one, other] = both
  console.log(row(`${where}, µs`, first, second, 'ratio'))
  for (const [name, before] of Object.entries(one.costs)) {
    const after = other.costs[name] ?? []
    const ratio = median(after.map((cost, round) => cost / (before[round] ?? Number.NaN)))
    console.log(row(name, median(before), median(after), ratio))
  }
}
process.exit()
