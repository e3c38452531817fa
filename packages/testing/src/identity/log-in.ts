import { TestingError } from '../errors.ts'
import { type KnownUser, secondStepOf } from './users.ts'
import type { KeyCreation, KeyRequest, VirtualKey } from './virtual-key.ts'

/** The methods of a supertest agent that are used. */
export interface TestAgent<Response = unknown> {
  get(path: string): { set(name: string, value: string): PromiseLike<Response> }
}

/** The issuer of a login, and the `fetch` that reaches it. */
export interface LoginPlace {
  readonly issuer: string
  readonly fetch: typeof fetch
}

/**
 * The end of a visit: a page of the identity, or the URL elsewhere to which the identity
 * redirected.
 */
export type Stop =
  | { readonly kind: 'page'; readonly url: string; readonly html: string }
  | { readonly kind: 'left'; readonly url: URL }

const MAX_REDIRECTS = 20

/** See `Identity.logIn`. */
export async function logIn<Response>(
  place: LoginPlace,
  agent: TestAgent<Response>,
  url: string,
  user: KnownUser,
  key?: VirtualKey,
): Promise<Response> {
  checkIsAt(place, url)
  const left = await passPages(createVisitor(place), url, user, key)
  if (left.kind === 'page') throw refused(left.html, user)
  return agent.get(left.url.pathname + left.url.search).set('accept', 'text/html')
}

/**
 * Checks the URL at which a login begins.
 *
 * @throws {@link TestingError} with `LATCHKEY_TEST_NO_LOGIN` if it is not at the identity.
 */
export function checkIsAt(place: LoginPlace, url: string): void {
  const { origin, pathname } = new URL(url, 'http://relative.invalid')
  if (origin === place.issuer) return
  const where = origin === 'http://relative.invalid' ? pathname : origin + pathname
  throw new TestingError(
    'LATCHKEY_TEST_NO_LOGIN',
    `${JSON.stringify(where)} is not at ${place.issuer}; pass the location that the application ` +
      'redirects to when it asks for a login.',
  )
}

/**
 * Opens a URL, and submits the pages of a login: at most a key or a password, then a key or a code.
 */
export async function passPages(
  visitor: Visitor,
  url: string,
  user: KnownUser,
  key?: VirtualKey,
): Promise<Stop> {
  const first = await visitor.open(url)
  const second =
    (await submitKey(visitor, first, key)) ?? (await submitPassword(visitor, first, user))
  return (await submitKey(visitor, second, key)) ?? (await submitCode(visitor, second, user))
}

/** Submits a page that asks for a key; `undefined` if the page asks for none, or no key suits. */
async function submitKey(
  visitor: Visitor,
  stop: Stop,
  key: VirtualKey | undefined,
): Promise<Stop | undefined> {
  const form = stop.kind === 'page' && key ? keyForm(stop.html, 'get') : undefined
  if (stop.kind === 'left' || !key || !form) return undefined
  const { action, html } = form
  const options = questionOn(html)
  if (options.userVerification === 'required' && !key.verifiesUser) return undefined
  const credential = key.get(options, new URL(stop.url).origin)
  const fields = { ...hiddenFields(html), credential }
  return visitor.open(new URL(action, stop.url).href, new URLSearchParams(fields))
}

/**
 * The form of a page that adds a key (`create`) or asks for a key; `undefined` if the page has no
 * such form.
 */
export function keyForm(
  page: string,
  kind: 'create' | 'get',
): { action: string; html: string } | undefined {
  const form = new RegExp(`<form[^>]* action="([^"]*)"[^>]* data-key="${kind}".*?</form>`, 's')
  const [html, action = ''] = form.exec(page) ?? []
  return html === undefined ? undefined : { action: textOf(action), html }
}

/**
 * The WebAuthn options in a button that asks for a key: the first button, or the one with this
 * value.
 */
export function questionOn(html: string, value = ''): KeyQuestion {
  const button = new RegExp(
    `<button[^>]*${value && ` value="${value}"`}[^>]* data-options="([^"]*)"`,
  )
  return JSON.parse(textOf(button.exec(html)?.[1])) as KeyQuestion
}

type KeyQuestion = KeyCreation & KeyRequest

async function submitPassword(
  visitor: Visitor,
  stop: Stop,
  { email, password }: KnownUser,
): Promise<Stop> {
  if (stop.kind === 'left') return stop
  const { url, html } = stop
  if (!/<input[^>]* name="password"/.test(html)) return stop
  const form = new URLSearchParams({ ...hiddenFields(html), email, password })
  return visitor.open(url, form)
}

/** Enters a code if the page asks for one and the user has an authenticator app. */
async function submitCode(visitor: Visitor, stop: Stop, user: KnownUser): Promise<Stop> {
  if (stop.kind === 'left' || !asksForCode(stop.html)) return stop
  const code = await secondStepOf(user)
  if (code === undefined) return stop
  return visitor.open(stop.url, new URLSearchParams({ ...hiddenFields(stop.html), code }))
}

/** Whether a page asks for the second step. */
export function asksForCode(html: string): boolean {
  return html.includes('autocomplete="one-time-code"')
}

/** A browser that follows redirects within the identity and keeps its cookies. */
export interface Visitor {
  /** Opens a page or submits a form. */
  open(url: string, form?: URLSearchParams): Promise<Stop>
}

/** Makes the browser of a new visitor. */
export function createVisitor({ issuer, fetch }: LoginPlace): Visitor {
  const cookies = new Map<string, string>()

  async function send(url: URL, form: URLSearchParams | undefined): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      headers: {
        accept: 'text/html',
        ...(cookie && { cookie }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded', origin: issuer }),
      },
      redirect: 'manual',
      ...(form && { body: form.toString() }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }

  return {
    async open(start, form) {
      let url = new URL(start)
      let response = await send(url, form)
      for (let hop = 0; hop < MAX_REDIRECTS; hop++) {
        const location = response.headers.get('location')
        if (!location) return { kind: 'page', url: url.href, html: await response.text() }
        await response.body?.cancel()
        url = new URL(location, url)
        if (url.origin !== issuer) return { kind: 'left', url }
        response = await send(url, undefined)
      }
      throw new TestingError(
        'LATCHKEY_TEST_NO_LOGIN',
        `The identity redirected ${MAX_REDIRECTS} times, last to ${url.pathname}.`,
      )
    },
  }
}

/** The error for a login that stops at a page of the identity. */
export function refused(html: string, user: Pick<KnownUser, 'email'>): TestingError {
  const heading = textOf(/<h1[^>]*>(.*?)<\/h1>/s.exec(html)?.[1])
  const alert = textOf(/role="alert"[^>]*>(.*?)<\//s.exec(html)?.[1])
  const said = [heading, alert].filter(Boolean).join(': ') || 'a page without a heading'
  const remedy = asksForCode(html)
    ? 'A code is good once, and at most one ahead of the time: move it with identity.clock.advance(30). Only an ' +
      'app that user.totp() has added is known here.'
    : /name="password"/.test(html)
      ? 'Is the password the one that the user was created with, and is the user not disabled?'
      : 'Create the user with "verified: true", or follow the link in identity.outbox().'
  return new TestingError(
    'LATCHKEY_TEST_LOGIN_REFUSED',
    `The login of ${user.email} stopped at a page that says “${said}”. ${remedy}`,
  )
}

/** The hidden fields of a page or form. */
export function hiddenFields(html: string): Record<string, string> {
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return Object.fromEntries(fields.map(([, name = '', value]) => [name, textOf(value)]))
}

function textOf(html = ''): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] as string)
    .trim()
}
