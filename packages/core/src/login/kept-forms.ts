import { RequestError } from '../errors/errors.ts'
import { readForm } from '../http/body.ts'
import { readCookie, setCookie } from '../http/cookies.ts'
import { type AuthRequest, queryOf, targetOf } from '../http/request.ts'
import { safeReturnTo } from '../http/return-to.ts'
import { isFromTrustedPage } from '../http/sending-page.ts'
import { userHash } from '../log/events.ts'
import type { Log } from '../log/log.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import type { Replays } from '../session/replay-cache.ts'
import type { SessionStore } from '../session/session-store.ts'
import { storeAnswer } from '../session/store-answer.ts'
import { randomText } from '../shared/random.ts'
import { createSealer } from '../shared/sealing.ts'
import type { FormCookie, FormKeeping, KeptForm } from './kept-form.ts'

/** How long a form is kept, in seconds: as long as a login may take. */
const KEPT_SECONDS = 600
/** How long a browser is known, in seconds: a page may stay open longer than a session lasts. */
const COOKIE_SECONDS = 400 * 86_400
/** 16 random bytes as base64url. */
const ID = /^[\w-]{22}$/
const SECRET_NAMES =
  /pass(word|wd|phrase|code)|pwd|token|secret|csrf|xsrf|(^|[^a-z])otp|api[_-]?key/i

/** The parts that kept forms are made of. */
export interface KeptFormParts {
  readonly options: ResolvedAuthOptions
  readonly store: SessionStore
  readonly replays: Replays
  readonly log: Log
}

/**
 * Makes what keeps forms; `undefined` unless the options ask for it. A form is in the session store under a random
 * id, which the address has. It is sealed with a key of the browser, which a cookie has, and names its user.
 */
export function createKeptForms(parts: KeptFormParts): FormKeeping | undefined {
  const { options, store, replays, log } = parts
  const { keepForms, routes, session, baseUrl } = options
  const page = routes.keptForm
  if (!keepForms || !page) return undefined
  const sealer = createSealer(options.secrets, 'form')
  const cookieName = `${session.cookieName}.forms`
  const isSecret = (name: string): boolean =>
    SECRET_NAMES.test(name) || keepForms.except.includes(name.toLowerCase())

  return {
    async keep({ request, session: { current } }) {
      if (!isForm(request) || !isFromTrustedPage(request, options)) return undefined
      const browser = browserOf(request)
      if (!browser) return undefined
      const target = targetOf(request.url)
      // A path that is shortened or read in two ways is another path.
      if (safeReturnTo(target, baseUrl, '') !== target) return undefined
      const sent = await fieldsOf(request)
      if (!sent) return undefined
      const fields = sent.filter(([name]) => !isSecret(name))
      if (fields.length === 0) return undefined
      const form: KeptForm = {
        target,
        from: safeReturnTo(request.headers.get('referer'), baseUrl),
        fields,
        leftOut: [...new Set(sent.map(([name]) => name).filter(isSecret))],
        user: current ? userHash(current.issuer, current.sub) : browser.user,
      }
      const id = randomText(16)
      const sealed = sealer.seal(JSON.stringify(form), `${id}.${browser.key}`)
      const record = { data: { form: sealed }, expiresAt: options.now() + KEPT_SECONDS }
      await storeAnswer(() => store.set(storeKey(id), record))
      return { path: `${page}?id=${id}`, setCookie: cookieOf(browser) }
    },
    async find(asked, login) {
      const id = idOf(asked.request)
      const browser = browserOf(asked.request)
      const stored = id && browser && (await storeAnswer(() => store.get(storeKey(id))))
      if (!stored || stored.expiresAt <= options.now()) return undefined
      const plain = sealer.open(String(stored.data.form), `${id}.${browser.key}`)
      const form = plain && (JSON.parse(plain) as KeptForm)
      if (!form) return undefined
      return form.user && form.user !== userHash(login.issuer, login.sub) ? undefined : form
    },
    async spend({ request }) {
      const id = idOf(request)
      if (!id || !(await replays.consume(storeKey(id), KEPT_SECONDS))) return false
      await storeAnswer(() => store.destroy(storeKey(id)))
      return true
    },
    remember(request, { issuer, sub }) {
      const key = browserOf(request)?.key ?? randomText(32)
      return [cookieOf({ key, user: userHash(issuer, sub) })]
    },
  }

  /** The browser of a request, a new one without the cookie; `undefined` with one that was not made here. */
  function browserOf({ headers }: AuthRequest): FormCookie | undefined {
    const sealed = readCookie(headers.get('cookie'), cookieName)
    if (sealed === undefined) return { key: randomText(32), user: undefined }
    const plain = sealer.open(sealed, 'browser')
    return plain === undefined ? undefined : (JSON.parse(plain) as FormCookie)
  }

  function cookieOf(browser: FormCookie): string {
    const scope = { ...session.cookie, sameSite: 'lax', maxAgeSeconds: COOKIE_SECONDS } as const
    return setCookie(cookieName, sealer.seal(JSON.stringify(browser), 'browser'), scope)
  }

  async function fieldsOf(request: AuthRequest): Promise<[string, string][] | undefined> {
    try {
      return [...(await readForm(request))]
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      log.warned(
        'LATCHKEY_FORM_NOT_KEPT',
        `A form was not kept through the login. ${error.message}`,
      )
      return undefined
    }
  }
}

function isForm({ method, headers }: AuthRequest): boolean {
  const type = headers.get('content-type') ?? ''
  return method === 'POST' && /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)
}

function idOf({ url }: AuthRequest): string | undefined {
  const id = queryOf(url).get('id') ?? ''
  return ID.test(id) ? id : undefined
}

/** No session has such an id: those are random, and their cookies carry a signature. */
function storeKey(id: string): string {
  return `form.${id}`
}
