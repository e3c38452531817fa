import type { Fetch } from './issuer.ts'

interface Cookie {
  name: string
  value: string
  host: string
  path: string
  expiresAt: number
}

/** An answer, with its body read. */
export interface Page {
  url: string
  status: number
  headers: Headers
  location: string | undefined
  html: string
}

/**
 * A browser without JavaScript: it keeps cookies unless it blocks them, follows redirects within the issuer and submits
 * forms.
 */
export function createBrowser(
  issuer: { url: string; fetch: Fetch },
  { blocksCookies = false } = {},
) {
  let cookies: Cookie[] = []
  const setCookies: string[] = []
  const headers: Record<string, string> = { accept: 'text/html' }

  async function send(url: string, init: RequestInit = {}): Promise<Page> {
    const response = await issuer.fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...headers, cookie: cookiesFor(new URL(url)), ...(init.headers as object) },
    })
    for (const line of response.headers.getSetCookie()) {
      setCookies.push(line)
      store(new URL(url), line)
    }
    return {
      url,
      status: response.status,
      headers: response.headers,
      location: response.headers.get('location') ?? undefined,
      // `text()` would take a byte-order mark away.
      html: Buffer.from(await response.arrayBuffer()).toString(),
    }
  }

  /** Follows redirects for as long as they lead to the issuer; the last answer is the result. */
  async function follow(page: Page): Promise<Page> {
    let current = page
    while (current.location !== undefined) {
      const next = new URL(current.location, current.url)
      if (next.origin !== new URL(issuer.url).origin) return current
      current = await send(next.href)
    }
    return current
  }

  function cookiesFor(url: URL): string {
    const now = Date.now()
    return cookies
      .filter((cookie) => cookie.host === url.host && cookie.expiresAt > now)
      .filter(({ path }) => path === '/' || `${url.pathname}/`.startsWith(`${path}/`))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
  }

  function store(url: URL, line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const [name = '', value = ''] = pair.split('=', 2)
    const attribute = (wanted: string) =>
      attributes
        .find((text) => text.toLowerCase().startsWith(`${wanted}=`))
        ?.slice(wanted.length + 1)
    const path = attribute('path') ?? '/'
    const expires = attribute('expires')
    const expiresAt = expires === undefined ? Infinity : Date.parse(expires)
    cookies = cookies.filter((c) => !(c.name === name && c.path === path && c.host === url.host))
    if (expiresAt > Date.now() && !blocksCookies)
      cookies.push({ name, value, host: url.host, path, expiresAt })
  }

  return {
    headers,
    /** Every `Set-Cookie` header so far. */
    setCookies,
    get: (url: string) => send(new URL(url, issuer.url).href).then(follow),
    /** Sends one request as it is. */
    send: (path: string, init: RequestInit) => send(new URL(path, issuer.url).href, init),
    /** Like `get`, without following redirects. */
    peek: (url: string) => send(new URL(url, issuer.url).href),
    /** Submits the form of the page that has a field or button of every given name. */
    async submit(page: Page, fields: Record<string, string> = {}): Promise<Page> {
      const form = findForm(page.html, Object.keys(fields))
      return follow(await send(new URL(form.action || page.url, page.url).href, post(form, fields)))
    },
    async submitOnly(page: Page, fields: Record<string, string> = {}): Promise<Page> {
      const form = findForm(page.html, Object.keys(fields))
      return send(new URL(form.action || page.url, page.url).href, post(form, fields))
    },
    cookies: () => cookies.map((cookie) => ({ ...cookie })),
    /**
     * Takes over what a sibling host could plant of another browser's cookies: all but those that are
     * for the whole host, because over TLS their names begin with `__Host-`.
     */
    plant(other: { cookies(): Cookie[] }) {
      cookies.push(...other.cookies().filter(({ path }) => path !== '/'))
    },
    /** Ends the browser: cookies without an expiry are gone. */
    restart() {
      cookies = cookies.filter(({ expiresAt }) => expiresAt !== Infinity)
    },
  }
}

export type Browser = ReturnType<typeof createBrowser>

/** Asks in a new browser for a link to a new password. */
export async function askForReset(
  issuer: Parameters<typeof createBrowser>[0],
  email = 'ada@example.com',
): Promise<{ browser: Browser; answer: Page }> {
  const browser = createBrowser(issuer)
  const answer = await browser.submit(await browser.get('/reset'), { email })
  return { browser, answer }
}

interface FoundForm {
  action: string
  fields: Map<string, string>
}

function post(form: FoundForm, fields: Record<string, string>): RequestInit {
  return {
    method: 'POST',
    body: new URLSearchParams([...new Map([...form.fields, ...Object.entries(fields)])]).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
}

function findForm(html: string, names: string[]): FoundForm {
  const forms = [...html.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)]
  for (const [, attributes = '', body = ''] of forms) {
    const inputs = [...body.matchAll(/<(?:input|button|select)([^>]*)>/g)].map(
      ([, text = '']) => text,
    )
    const known = inputs.map((text) => attributeOf(text, 'name'))
    if (!names.every((name) => known.includes(name))) continue
    const hidden = inputs.filter((text) => attributeOf(text, 'type') !== 'submit')
    const fields = hidden
      .map((text) => [attributeOf(text, 'name'), attributeOf(text, 'value') ?? ''] as const)
      .filter((field): field is [string, string] => field[0] !== undefined)
    return { action: attributeOf(attributes, 'action') ?? '', fields: new Map(fields) }
  }
  throw new Error(`No form with ${names.join(', ') || 'anything'} in:\n${html}`)
}

function attributeOf(text: string, name: string): string | undefined {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(text)?.[1]?.replaceAll('&amp;', '&')
}

/** What an issuer trusts whose visitors come from networks of their own; see {@link createVisitor}. */
export const trustedProxies = ['127.0.0.0/8']

let visitors = 0

/** A browser in a network of its own: stores that tests share count what came from one. */
export function createVisitor(issuer: Parameters<typeof createBrowser>[0]): Browser {
  const browser = createBrowser(issuer)
  browser.headers['x-forwarded-for'] = `10.1.${++visitors >> 8}.${visitors & 255}`
  return browser
}
