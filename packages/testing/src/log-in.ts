import { TestingError } from './errors.ts'
import type { TestUser } from './users.ts'

/** What is used of an agent of supertest. */
export interface TestAgent<Response = unknown> {
  get(path: string): { set(name: string, value: string): PromiseLike<Response> }
}

/** Where a login takes place. */
export interface LoginPlace {
  readonly issuer: string
  readonly fetch: typeof fetch
}

/** A page of the identity, or the address outside to which it sent the visitor. */
type Stop =
  | { readonly kind: 'page'; readonly url: string; readonly html: string }
  | { readonly kind: 'left'; readonly url: URL }

const MAX_REDIRECTS = 20

/** See `Identity.logIn`. */
export async function logIn<Response>(
  place: LoginPlace,
  agent: TestAgent<Response>,
  url: string,
  user: TestUser,
): Promise<Response> {
  const { origin, pathname } = new URL(url, 'http://relative.invalid')
  if (origin !== place.issuer) {
    const where = origin === 'http://relative.invalid' ? pathname : origin + pathname
    throw new TestingError(
      'LATCHKEY_TEST_NO_LOGIN',
      `${JSON.stringify(where)} is not at ${place.issuer}; pass the location that the application ` +
        'redirects to when it asks for a login.',
    )
  }
  const visitor = createVisitor(place)
  const first = await visitor.open(url)
  const left = first.kind === 'left' ? first : await submitPassword(visitor, first, user)
  if (left.kind === 'page') throw refused(left.html, user)
  return agent.get(left.url.pathname + left.url.search).set('accept', 'text/html')
}

async function submitPassword(
  visitor: Visitor,
  { url, html }: Stop & { kind: 'page' },
  { email, password }: TestUser,
): Promise<Stop> {
  if (!/<input[^>]* name="password"/.test(html)) return { kind: 'page', url, html }
  const form = new URLSearchParams({ ...hiddenFields(html), email, password })
  return visitor.open(url, form)
}

/** A browser that follows redirects within the identity and keeps its cookies. */
interface Visitor {
  /** Opens a page; with a form, submits it. */
  open(url: string, form?: URLSearchParams): Promise<Stop>
}

function createVisitor({ issuer, fetch }: LoginPlace): Visitor {
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

/** The login ended at a page that asks for something else, or says no. */
export function refused(html: string, user: TestUser): TestingError {
  const heading = textOf(/<h1[^>]*>(.*?)<\/h1>/s.exec(html)?.[1])
  const alert = textOf(/role="alert"[^>]*>(.*?)<\//s.exec(html)?.[1])
  const said = [heading, alert].filter(Boolean).join(': ') || 'a page without a heading'
  const remedy = /name="password"/.test(html)
    ? 'Is the password the one that the user was created with, and is the user not disabled?'
    : 'Create the user with "verified: true", or follow the link in identity.outbox().'
  return new TestingError(
    'LATCHKEY_TEST_LOGIN_REFUSED',
    `The login of ${user.email} stopped at a page that says “${said}”. ${remedy}`,
  )
}

function hiddenFields(html: string): Record<string, string> {
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
