import type { RequestContext } from '../context.ts'
import { RequestError } from '../errors/errors.ts'
import { readForm } from '../http/body.ts'
import { type AuthRequest, pathOf, queryOf, targetOf } from '../http/request.ts'
import { safeReturnTo } from '../http/return-to.ts'
import { isFromTrustedPage } from '../http/sending-page.ts'
import { userHash } from '../log/events.ts'
import type { Log } from '../log/log.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import type { Replays } from '../session/replay-cache.ts'
import type { SessionStore } from '../session/stores/session-store.ts'
import { storeAnswer } from '../session/stores/store-answer.ts'
import { randomText } from '../shared/random.ts'
import { createSealer } from '../shared/sealing.ts'
import { createFormBrowsers } from './form-browsers.ts'
import { createFormShare } from './form-share.ts'
import type { FormKeeping, KeptForm } from './kept-form.ts'
import { isSecretName } from './secret-names.ts'

/** The seconds for which a form is kept: the time that a login may take. */
const KEPT_SECONDS = 600
/** The id of a kept form: 16 random bytes as base64url. */
const ID = /^[\w-]{22}$/
/** The most bytes of forms from browsers in which a user has logged in, per process. */
const USER_BYTES = 16 * 1024 * 1024
/**
 * The most bytes of forms from all other browsers, so that a stranger's forms displace no user's.
 */
const STRANGER_BYTES = 4 * 1024 * 1024

/** The parts of an instance that kept forms need. */
export interface KeptFormParts {
  readonly options: ResolvedAuthOptions
  readonly store: SessionStore
  readonly replays: Replays
  readonly log: Log
}

/**
 * Makes the {@link FormKeeping} of an instance; `undefined` if the option `keepForms` is off. A
 * form is in the session store under a random id, which is part of the URL of its page. The form is
 * sealed, and can be opened only with the key from the browser's cookie. If forms take more than
 * their share of the store, the oldest are removed.
 */
export function createKeptForms(parts: KeptFormParts): FormKeeping | undefined {
  const { options, store, replays, log } = parts
  const { keepForms, routes, baseUrl } = options
  const page = routes.keptForm
  if (!keepForms || !page) return undefined
  const sealer = createSealer(options.secrets, 'form')
  const browsers = createFormBrowsers(options, sealer, KEPT_SECONDS)
  const shareOf = (bytes: number) => createFormShare(bytes, KEPT_SECONDS, options.now)
  const [users, strangers] = [shareOf(USER_BYTES), shareOf(STRANGER_BYTES)]
  const isSecret = (name: string): boolean =>
    isSecretName(name) || keepForms.except.includes(name.toLowerCase())

  return {
    async keep({ request, session: { current } }) {
      if (!isHtmlForm(request) || !isFromTrustedPage(request, options)) return undefined
      if (!isForm(request)) return void warn(log, 'It has files or is of multipart/form-data.')
      const browser = browsers.of(request)
      if (!browser) return undefined
      const target = targetOf(request.url)
      // `safeReturnTo` changes a target that is too long or ambiguous. The form would go to that
      // other path.
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
      const share = form.user === undefined ? strangers : users
      await makeRoom(share.take(id, sealed.length))
      await storeAnswer(() => store.set(storeKey(id), record))
      const setCookie = browsers.cookieOf(browser, browser.isNew ? id : undefined)
      return { path: `${page}?id=${id}`, setCookie }
    },
    async find(asked, login) {
      const id = idOf(asked.request)
      const browser = id && browsers.of(asked.request, id)
      const stored = browser && (await storeAnswer(() => store.get(storeKey(id))))
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
      const key = browsers.of(request)?.key ?? randomText(32)
      return [browsers.cookieOf({ key, user: userHash(issuer, sub) })]
    },
  }

  async function makeRoom(gone: readonly string[]): Promise<void> {
    if (gone.length === 0) return
    warn(log, 'Too many forms are kept at this moment: the oldest made room.')
    await Promise.all(gone.map((id) => storeAnswer(() => store.destroy(storeKey(id)))))
  }

  async function fieldsOf(request: AuthRequest): Promise<[string, string][] | undefined> {
    try {
      return [...(await readForm(request))]
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      return void warn(log, error.message)
    }
  }
}

/** Whether a request is an HTML form that a page of this site or of a trusted origin sent. */
export function isOwnForm({ context, request }: RequestContext): boolean {
  return isHtmlForm(request) && isFromTrustedPage(request, context.options)
}

/**
 * Keeps the form of a request during the login, if the option `keepForms` is set. Otherwise logs a
 * warning that the form is lost, if a page of this site sent it.
 */
export async function keepForm(asked: RequestContext): ReturnType<FormKeeping['keep']> {
  const { context, request, session } = asked
  const { keptForms, log } = context
  if (keptForms) return keptForms.keep({ request, session })
  if (!isOwnForm(asked)) return undefined
  return void warn(log, `"keepForms" is not set. It was sent to ${pathOf(request.url)}.`)
}

function warn(log: Log, reason: string): void {
  log.warned('LATCHKEY_FORM_NOT_KEPT', `A form was not kept through the login. ${reason}`)
}

function typeOf({ headers }: AuthRequest): string {
  return headers.get('content-type') ?? ''
}

/** Whether a request is a `POST` from an HTML form, with or without files. */
function isHtmlForm(request: AuthRequest): boolean {
  return isForm(request) || (request.method === 'POST' && /^multipart\//i.test(typeOf(request)))
}

function isForm(request: AuthRequest): boolean {
  const isUrlencoded = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(typeOf(request))
  return request.method === 'POST' && isUrlencoded
}

function idOf({ url }: AuthRequest): string | undefined {
  const id = queryOf(url).get('id') ?? ''
  return ID.test(id) ? id : undefined
}

/**
 * The key of a form in the session store. A browser cannot use it as a session id, because session
 * cookies are signed.
 */
function storeKey(id: string): string {
  return `form.${id}`
}
