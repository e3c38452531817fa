import { hash } from 'node:crypto'
import type { Adoption, AuthContext, RequestContext } from '../context.ts'
import { LatchkeyError } from '../errors/errors.ts'
import { clearCookie, cookieNames, readCookie } from '../http/cookies.ts'
import type { AuthRequest } from '../http/request.ts'
import { userHash } from '../log/events.ts'
import type { AdoptedSession, AdoptOptions } from '../options/options.ts'
import type { AuthSession } from '../session/session.ts'
import { sessionUser } from '../session/session-user.ts'
import { isRecord } from '../shared/records.ts'
import { deriveKey, macOf } from '../shared/sealing.ts'

/** A session of another login kit, and its name: the id that the hook returned, or the cookie. */
interface FoundSession {
  readonly name: string
  readonly old: AdoptedSession
}

/**
 * The seconds for which an adopted session is remembered: 400 days, the longest that browsers keep
 * a cookie.
 */
const KEPT_SECONDS = 400 * 86_400

type Parts = Pick<AuthContext, 'options' | 'replays' | 'publish' | 'log'>

/**
 * Makes the {@link Adoption} of an instance; `undefined` without `session.adopt` or without a
 * session secret.
 */
export function createAdoption({ options, replays, publish, log }: Parts): Adoption | undefined {
  const { adopt } = options
  const [secret] = options.secrets
  if (!adopt || secret === undefined) return undefined
  const key = deriveKey(secret, 'adopted-session')
  const inFlight = new Map<string, Promise<void>>()

  async function find(request: AuthRequest): Promise<FoundSession | undefined> {
    const cookie = oldCookie(request, adopt as AdoptOptions)
    const old = cookie === undefined ? undefined : await adopt?.read(cookie, request)
    return old && { name: old.id ?? (cookie as string), old: checked(old) }
  }

  /**
   * Adopts the old session of a request. Resolves to `false` if the request has no session
   * afterwards.
   */
  async function take(asked: RequestContext): Promise<boolean> {
    const found = await find(asked.request)
    if (!found) return false
    // Derived from the old session, so that parallel requests of a browser share one new session.
    const id = macOf(found.name, key)
    const running = inFlight.get(id)
    if (running) {
      await running
      return asked.session.resume(id)
    }
    const flight = resumeOrBegin(asked, found, id).finally(() => inFlight.delete(id))
    inFlight.set(id, flight)
    await flight
    return asked.session.current !== undefined
  }

  async function resumeOrBegin(
    asked: RequestContext,
    found: FoundSession,
    id: string,
  ): Promise<void> {
    if (await asked.session.resume(id)) return
    const { name, old } = found
    await replays.unlessDone(replayKey(name), KEPT_SECONDS, () => begin(asked, old, id))
  }

  async function begin(asked: RequestContext, old: AdoptedSession, id: string): Promise<void> {
    const draft = await loginOf(asked, old)
    if (draft.expiresAt <= draft.createdAt || draft.expiresAt <= options.now()) return
    const login = (await options.hooks.onSession?.(draft, 'adopted')) ?? draft
    await asked.session.start(login, login.createdAt, id)
    publish('session.adopted', {
      issuer: login.issuer,
      user: userHash(login.issuer, login.sub),
    })
  }

  return {
    adopt(asked) {
      const { session, request } = asked
      if (session.current || session.failure || !hasOldCookie(request, adopt)) return undefined
      return take(asked).then(
        (isAdopted) => (isAdopted ? [...cleared(request), ...remembered(asked)] : []),
        (error: unknown) => {
          log.warned('LATCHKEY_SESSION_NOT_ADOPTED', reasonOf(error))
          return []
        },
      )
    },
    async forget({ request }) {
      if (!hasOldCookie(request, adopt)) return []
      try {
        const found = await find(request)
        if (found) await replays.consume(replayKey(found.name), KEPT_SECONDS)
      } catch (error) {
        log.warned('LATCHKEY_SESSION_NOT_ADOPTED', reasonOf(error))
      }
      return cleared(request)
    },
  }

  /** The `Set-Cookie` values that assign the forms of this browser to its user from now on. */
  function remembered({ context, request, session: { current } }: RequestContext): string[] {
    return (current && context.keptForms?.remember(request, current)) ?? []
  }

  function cleared(request: AuthRequest): string[] {
    const scope = { ...options.session.cookie, path: '/' }
    return namesOf(request, adopt as AdoptOptions).map((name) => clearCookie(name, scope))
  }
}

/**
 * Makes the login of an old session. How the user authenticated is unknown, so `authTime`, `acr`
 * and `amr` are not set.
 */
async function loginOf(
  asked: RequestContext,
  { user: claims, startedAt, idToken, tokens }: AdoptedSession,
): Promise<AuthSession> {
  const { options } = asked.context
  const provider = await asked.provider()
  const { issuer } = await provider.metadata()
  if (claims.iss !== undefined && claims.iss !== issuer) {
    throw new TypeError('it is from another issuer than the one that the application logs in at')
  }
  const now = options.now()
  const createdAt = Math.min(startedAt ?? now, now)
  return {
    issuer,
    registeredIssuer: provider.issuer,
    clientId: provider.clientId,
    sub: claims.sub,
    sid: typeof claims.sid === 'string' ? claims.sid : undefined,
    ...(await sessionUser(options, { idToken: claims })),
    createdAt,
    expiresAt: createdAt + options.session.absoluteSeconds,
    adopted: true,
    idToken,
    tokens,
  }
}

function checked(old: AdoptedSession): AdoptedSession {
  const { user, startedAt } = old
  if (!isRecord(user) || typeof user.sub !== 'string' || user.sub === '') {
    throw new TypeError('session.adopt.read() must answer with { user: { sub, … } } or undefined')
  }
  if (startedAt !== undefined && !Number.isFinite(startedAt)) {
    throw new TypeError('"startedAt" of session.adopt.read() must be seconds since the epoch')
  }
  return old
}

function hasOldCookie({ headers }: AuthRequest, adopt: AdoptOptions): boolean {
  return headers.get('cookie')?.includes(adopt.cookie) ?? false
}

/**
 * The names of the old cookie in a request: its plain name and the chunks `.0`, `.1` … of a long
 * value.
 */
function namesOf({ headers }: AuthRequest, { cookie }: AdoptOptions): string[] {
  const names = new Set(cookieNames(headers.get('cookie'), cookie))
  return [...names].filter((name) => name === cookie || /^\.\d+$/.test(name.slice(cookie.length)))
}

/**
 * The value of the old cookie, with its chunks joined; `undefined` if it is missing or empty.
 *
 * @throws `TypeError` if a name occurs twice. Another host of the site may have set one of the two
 *   cookies, and it is unknown which one the old kit set.
 */
function oldCookie(request: AuthRequest, adopt: AdoptOptions): string | undefined {
  const sent = cookieNames(request.headers.get('cookie'), adopt.cookie)
  if (new Set(sent).size < sent.length) {
    throw new TypeError(`the browser sent the cookie "${adopt.cookie}" twice`)
  }
  const names = namesOf(request, adopt)
  const read = (name: string): string => readCookie(request.headers.get('cookie'), name) ?? ''
  if (names.includes(adopt.cookie)) return read(adopt.cookie) || undefined
  const order = (name: string): number => Number(name.slice(adopt.cookie.length + 1))
  const pieces = names.sort((a, b) => order(a) - order(b))
  return pieces.map(read).join('') || undefined
}

/**
 * The key of an old session in the replay cache. It does not depend on the session secret, which
 * may change while the old cookie is still in use.
 */
function replayKey(name: string): string {
  return `adopted:${hash('sha256', name, 'base64url')}`
}

function reasonOf(error: unknown): string {
  const reason =
    error instanceof LatchkeyError || error instanceof TypeError
      ? error.message
      : 'session.adopt.read() failed'
  return `An old session was not adopted: ${reason}.`.replace('..', '.')
}
