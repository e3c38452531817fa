/** The header in which the proxy passes the method and URL of a request to pages. */
export const ASKED = 'x-latchkey-asked'

/** Changes the cookies of a request as the browser will change its own. */
export function withCookies(headers: Headers, lines: readonly string[]): void {
  if (lines.length === 0) return
  const cookies = new Map<string, string>()
  for (const pair of (headers.get('cookie') ?? '').split(/; */)) cookies.set(nameOf(pair), pair)
  for (const line of lines) {
    const [pair = ''] = line.split(';')
    if (/; Max-Age=0(;|$)/.test(line)) cookies.delete(nameOf(pair))
    else cookies.set(nameOf(pair), pair)
  }
  headers.set('cookie', [...cookies.values()].filter(Boolean).join('; '))
}

/** The request of a page. Without the proxy its address is not known, and is that of the application. */
export function requestOf(sent: Headers, baseUrl: URL): Request {
  const isAction = sent.has('next-action')
  const asked = sent.get(ASKED) ?? `${isAction ? 'POST' : 'GET'} ${baseUrl.pathname}`
  const [method = 'GET', address = '/'] = asked.split(' ')
  return new Request(new URL(address, baseUrl), { method, headers: new Headers(sent) })
}

function nameOf(pair: string): string {
  return pair.slice(0, Math.max(pair.indexOf('='), 0))
}
