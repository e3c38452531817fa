import { type HTMLElement, parse } from 'node-html-parser'
import { createBrowser } from '../../packages/express/test/support/browser.ts'

/** A person with a browser that holds cookies, follows redirects and submits forms, without scripts. */
export interface Visitor {
  /** Where the visitor is now. */
  readonly url: URL
  readonly status: number
  readonly text: string
  /** Opens a page and follows where it leads. */
  open(url: string): Promise<void>
  /** Submits the page's form that has `fields`; `button` is the name of the one pressed. */
  submit(fields?: Readonly<Record<string, string>>, button?: string): Promise<void>
  /** Whether the page has a form with a field of this name. */
  sees(field: string): boolean
  /** The value of a cookie, at any site. */
  cookie(name: string): string | undefined
  /** Sends one request as a script of the page would, with the cookies. */
  send(url: string, init?: VisitorRequest): Promise<Response>
}

/** One request of a visitor. */
export interface VisitorRequest {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

const MAX_HOPS = 20

/**
 * Starts a visitor with no cookies.
 *
 * @param origins - Where origins are really served, as behind a proxy that ends TLS.
 */
export function createVisitor(origins: Readonly<Record<string, string>> = {}): Visitor {
  const browser = createBrowser(origins)
  let url = new URL('about:blank')
  let status = 0
  let text = ''

  const navigate = async (target: string, init: VisitorRequest = {}): Promise<void> => {
    let next: string | undefined = target
    let request = init
    for (let hop = 0; next !== undefined; hop++) {
      if (hop === MAX_HOPS) throw new Error(`More than ${MAX_HOPS} redirects, the last to ${next}`)
      const from: URL = url
      url = new URL(next, from.protocol === 'about:' ? undefined : from)
      const headers = { ...pageHeaders(from, url), ...request.headers }
      const response = await browser.send(url.href, { ...request, headers })
      status = response.status
      text = await response.text()
      next = onward(response)
      // Everything but 307 and 308 becomes a GET, as in browsers.
      if (status !== 307 && status !== 308) request = {}
    }
  }

  const submitForm = (form: HTMLElement, fields: Record<string, string>): Promise<void> => {
    const action = new URL(form.getAttribute('action') || url.href, url)
    const body = new URLSearchParams(fields).toString()
    if (form.getAttribute('method')?.toLowerCase() !== 'post') {
      action.search = body
      return navigate(action.href)
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: url.origin }
    return navigate(action.href, { method: 'POST', headers, body })
  }

  /** A page whose script sends its form away, as with `form_post`. */
  const goOn = async (): Promise<void> => {
    const form = parse(text).querySelector('form')
    if (form && /\bforms\[0\]\.submit\(\)/.test(text)) await submitForm(form, fieldsOf(form))
  }

  return {
    get url() {
      return url
    },
    get status() {
      return status
    },
    get text() {
      return text
    },
    async open(target) {
      await navigate(target)
      await goOn()
    },
    async submit(fields = {}, button) {
      const page = parse(text)
      const form = page
        .querySelectorAll('form')
        .find((one) => Object.keys(fields).every((name) => name in fieldsOf(one)))
      if (!form) throw new Error(`The page has no form with ${Object.keys(fields).join(', ')}.`)
      const pressed = button && page.querySelector(`[name="${button}"]`)
      const value = pressed ? { [button]: pressed.getAttribute('value') ?? '' } : {}
      await submitForm(form, { ...fieldsOf(form), ...value, ...fields })
      await goOn()
    },
    sees: (field) =>
      parse(text)
        .querySelectorAll('form')
        .some((form) => field in fieldsOf(form)),
    cookie: (name) => [...browser.cookies].find(([key]) => key.endsWith(` ${name}`))?.[1].value,
    send: (target, init) => browser.send(target, init),
  }
}

/** Where an answer sends the visitor on to: by redirect, or by a page that refreshes itself. */
function onward({ status, headers }: Response): string | undefined {
  const location = status >= 300 && status < 400 ? headers.get('location') : undefined
  return location ?? /^0; ?url=(.+)$/i.exec(headers.get('refresh') ?? '')?.[1]
}

function fieldsOf(form: HTMLElement): Record<string, string> {
  const inputs = form
    .querySelectorAll('input[name]')
    .filter((input) => input.getAttribute('type') !== 'submit')
    .filter((input) => input.getAttribute('type') !== 'checkbox' || input.hasAttribute('checked'))
  return Object.fromEntries(
    inputs.map((input) => [input.getAttribute('name') ?? '', input.getAttribute('value') ?? '']),
  )
}

function pageHeaders(from: URL, to: URL): Record<string, string> {
  const site = from.protocol === 'about:' ? 'none' : undefined
  return {
    accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
    'accept-language': 'en',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
    'sec-fetch-site': site ?? (from.origin === to.origin ? 'same-origin' : 'cross-site'),
  }
}
