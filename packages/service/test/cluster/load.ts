import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, createBrowser } from '../issuer/support/browser.ts'
import { bcryptOf, PASSWORD } from '../support/hashes.ts'
import { callback, type Field } from './field.ts'

/** What clients were told is done, and what they saw beside. */
export interface Ledger {
  /** The last acknowledged state of a user, by path; `undefined` while a write has no answer. */
  users: Map<string, string | undefined>
  /** Codes by how often they were redeemed; `uncertain`: one redemption had no answer, or may be lost. */
  codes: { code: string; redeemed: number; uncertain: boolean }[]
  /** Addresses to which a message was promised. */
  mails: Set<string>
  /** How often each thing has succeeded. */
  done: { writes: number; codes: number; mails: number }
  /** Answers that no failure excuses. */
  wrong: string[]
  /** Requests without an answer, or with 502 or 503. */
  failures: number
  lastFailure: string
}

/** Clients that go on until they are stopped. */
export interface Load {
  readonly ledger: Ledger
  /** Says that what Redis acknowledges from now on may be lost: a failover loses the last moment. */
  redisMayForget(mayForget: boolean): void
  /** Waits until each kind of client has succeeded so often more. */
  progress(times?: number, seconds?: number): Promise<void>
  stop(): Promise<void>
}

const verifier = 'v'.repeat(43)
const challenge = createHash('sha256').update(verifier).digest('base64url')

/** How long a client waits after a failure. */
const PAUSE_MS = 50

/** The service could not answer; what was asked for may have happened. */
export class Unanswered extends Error {}

/** Starts clients that write users, obtain and redeem codes, and ask for mail. */
export function startLoad(field: Field, clients = 2): Load {
  const ledger: Ledger = {
    users: new Map(),
    codes: [],
    mails: new Set(),
    done: { writes: 0, codes: 0, mails: 0 },
    wrong: [],
    failures: 0,
    lastFailure: '',
  }
  const state: State = { isOver: false, redisMayForget: false }
  const kinds = [writeUsers, collectCodes, askForMail]
  const running = kinds.flatMap((kind) =>
    Array.from({ length: clients }, (_, n) =>
      repeat(state, ledger, kind(field, ledger, `${crypto.randomUUID().slice(0, 8)}-${n}`, state)),
    ),
  )
  return {
    ledger,
    redisMayForget(mayForget) {
      state.redisMayForget = mayForget
    },
    async progress(times = 3, seconds = 60) {
      const { writes, codes, mails } = ledger.done
      const end = Date.now() + seconds * 1_000
      const has = () =>
        Math.min(ledger.done.writes - writes, ledger.done.codes - codes, ledger.done.mails - mails)
      while (has() < times) {
        if (Date.now() > end) {
          throw new Error(`No progress: ${JSON.stringify(ledger.done)}, ${ledger.lastFailure}`)
        }
        await sleep(20)
      }
    },
    async stop() {
      state.isOver = true
      await Promise.all(running)
    },
  }
}

interface State {
  isOver: boolean
  redisMayForget: boolean
}

async function repeat(
  state: State,
  ledger: Ledger,
  step: (n: number) => Promise<void>,
): Promise<void> {
  for (let n = 0; !state.isOver; n++) {
    try {
      await step(n)
    } catch (error) {
      if (!(error instanceof Unanswered)) ledger.wrong.push(String((error as Error).stack))
      ledger.failures++
      ledger.lastFailure = String(error)
      await sleep(PAUSE_MS)
    }
  }
}

/** A `fetch` as a client sees it: every failure that the drills are about is an {@link Unanswered}. */
export function fetchOf({ fetch }: Field): Field['fetch'] {
  return async (url, init) => {
    let answer: Response
    try {
      const signal = AbortSignal.timeout(15_000)
      // Each request comes from another network, so that no limit but those of accounts is met.
      const headers = { 'x-forwarded-for': someAddress(), ...(init?.headers as object) }
      answer = await fetch(url, { ...init, headers, signal })
      if (answer.status === 502 || answer.status === 503) {
        await answer.body?.cancel()
        throw new Unanswered(`${answer.status}`)
      }
      if (answer.status >= 500) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
      return answer
    } catch (error) {
      if ((error as Error).message.includes(': 5')) throw error
      throw new Unanswered(String(error))
    }
  }
}

function someAddress(): string {
  const part = () => Math.floor(Math.random() * 250) + 1
  return `10.${part()}.${part()}.${part()}`
}

/** Creates a user, changes it twice, and remembers what was acknowledged. */
function writeUsers(field: Field, ledger: Ledger, client: string) {
  const fetch = fetchOf(field)
  const users = `${field.url}${field.tenant}/users`
  const headers = {
    authorization: `Bearer ${field.apiKey}`,
    'content-type': 'application/json',
  }
  async function post(url: string, body: object): Promise<{ id: string; updated_at: string }> {
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    const parsed = (await answer.json().catch((error) => {
      throw new Unanswered(String(error))
    })) as { id: string; updated_at: string }
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${JSON.stringify(parsed)}`)
    return parsed
  }
  return async (n: number) => {
    const profile = { email: `user-${client}-${n}@example.com` }
    const { id, updated_at } = await post(users, { profile, metadata: { n: '0' } })
    const path = `${users}/${id}`
    ledger.users.set(path, updated_at)
    ledger.done.writes++
    for (const n of ['1', '2']) {
      ledger.users.set(path, undefined)
      ledger.users.set(path, (await post(path, { profile, metadata: { n } })).updated_at)
      ledger.done.writes++
    }
  }
}

/** Logs in once; then obtains code after code, and redeems every other one twice at once. */
function collectCodes(field: Field, ledger: Ledger, client: string, state: State) {
  const fetch = fetchOf(field)
  let browser: Browser | undefined

  async function logIn(): Promise<Browser> {
    const email = `login-${client}@example.com`
    await ensureUser(field, email)
    const fresh = createBrowser({ url: field.url, fetch })
    const landed = await fresh.submit(await fresh.get(authorization(field)), {
      email,
      password: PASSWORD,
    })
    if (!landed.location?.includes('code=')) throw new Unanswered('The login did not end.')
    return fresh
  }

  return async (n: number) => {
    if (!browser) {
      browser = await logIn()
      return
    }
    const page = await browser.get(authorization(field))
    const code = page.location && new URL(page.location).searchParams.get('code')
    if (!code) {
      if (page.html.includes('name="password"')) browser = undefined
      if (state.redisMayForget) throw new Unanswered('The session is lost.')
      throw new Error(
        `${page.url}: no code, ${page.status} ${page.location ?? page.html.slice(0, 300)}`,
      )
    }
    const entry = { code, redeemed: 0, uncertain: state.redisMayForget }
    ledger.codes.push(entry)
    // A second redemption revokes what the first one began, so that both may be refused.
    const isRace = n % 2 === 0
    const redemptions = Array.from({ length: isRace ? 2 : 1 }, () => redeem(field, code))
    for (const one of await Promise.allSettled(redemptions)) {
      if (one.status === 'fulfilled') entry.redeemed += Number(one.value)
      else if (one.reason instanceof Unanswered) entry.uncertain = true
      else throw one.reason
    }
    entry.uncertain ||= state.redisMayForget
    // A redemption without an answer may revoke the grant later, with the codes that follow.
    if (entry.uncertain) browser = undefined
    if (entry.redeemed > 1) ledger.wrong.push('A code was redeemed twice.')
    if (entry.redeemed === 1) ledger.done.codes++
    else if (entry.uncertain) throw new Unanswered('redemption')
    else if (!isRace)
      ledger.wrong.push(`A fresh code was refused, ${client} ${n} ${new Date().toISOString()}.`)
  }
}

/** The address where a login at the application of the drills begins. */
export function authorization({ url, client }: Field, more: Record<string, string> = {}): string {
  const question = new URLSearchParams({
    client_id: client.id,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid email',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  })
  return `${url}/oidc/auth?${question}`
}

/** Whether the code was good for tokens. */
export async function redeem(field: Field, code: string): Promise<boolean> {
  return (await tokensFor(field, code)) !== undefined
}

/** The tokens of a login. */
export interface Tokens {
  access_token: string
  refresh_token?: string
}

/** The tokens that a code is redeemed for; `undefined` when it is refused. */
export function tokensFor(field: Field, code: string): Promise<Tokens | undefined> {
  return askForTokens(field, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callback,
    code_verifier: verifier,
  })
}

/** Asks the token endpoint as the application of the drills; `undefined` when the grant is refused. */
export async function askForTokens(
  field: Field,
  grant: Record<string, string>,
): Promise<Tokens | undefined> {
  const { id, secret } = field.client
  const answer = await fetchOf(field)(`${field.url}/oidc/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${id}:${encodeURIComponent(secret)}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(grant).toString(),
  })
  const body = (await answer.json().catch((error) => {
    throw new Unanswered(String(error))
  })) as Tokens & { error?: string }
  if (answer.status === 200) return body
  if (body.error === 'invalid_grant') return undefined
  throw new Error(`/oidc/token: ${answer.status} ${JSON.stringify(body)}`)
}

/** Asks for a reset link for one user after the other. */
function askForMail(field: Field, ledger: Ledger, client: string) {
  const fetch = fetchOf(field)
  return async (n: number) => {
    const email = `mail-${client}-${n}@example.com`
    await ensureUser(field, email)
    const browser = createBrowser({ url: field.url, fetch })
    const page = await browser.submit(await browser.get('/reset'), { email })
    if (!page.html.includes('Check your inbox')) throw new Error(`/reset: ${page.html}`)
    ledger.mails.add(email)
    ledger.done.mails++
    await sleep(10)
  }
}

/** Sees to it that there is a user with this address and the password of the tests. */
export async function ensureUser(field: Field, email: string): Promise<void> {
  const answer = await fetchOf(field)(`${field.url}/x${field.tenant}/users/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${field.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      users: [
        {
          profile: { email, email_verified: true },
          password: { alg: 'bcrypt', hash: bcryptOf[8] },
        },
      ],
    }),
  })
  const body = (await answer.json().catch((error) => {
    throw new Unanswered(String(error))
  })) as { created?: number; existing?: number }
  if (body.created !== 1 && body.existing !== 1) throw new Unanswered(JSON.stringify(body))
}
