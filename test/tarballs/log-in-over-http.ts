import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** Cookies by host and name. */
type Jar = Map<string, Map<string, string>>

interface Answer {
  readonly url: URL
  readonly body: string
}

/** Opens a page as a browser does, logs in on the page that it leads to, and resolves to the text that it ends at. */
export async function logInOverHttp(
  page: string,
  user: { readonly email: string; readonly password: string },
): Promise<string> {
  const jar: Jar = new Map()
  const login = await open(jar, new URL(page))
  const hidden = login.body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
  const fields = Object.fromEntries([...hidden].map(([, name, value]) => [name, value]))
  assert.match(login.body, /name="password"/, `${login.url} is no login page`)
  const form = new URLSearchParams({ ...fields, ...user }).toString()
  return (await open(jar, login.url, form)).body
}

/** Follows redirects on this machine, whatever the names of its hosts. */
async function open(jar: Jar, start: URL, form?: string): Promise<Answer> {
  let url = start
  let body = form
  for (let hops = 0; hops < 20; hops++) {
    const answer = await send(jar, url, body)
    const { location } = answer.headers
    const content = await text(answer)
    if (location === undefined) return { url, body: content }
    url = new URL(location, url)
    body = undefined
  }
  return assert.fail(`There are too many redirects, last to ${url}`)
}

async function send(jar: Jar, url: URL, form: string | undefined): Promise<IncomingMessage> {
  const cookies = jar.get(url.host) ?? new Map<string, string>()
  jar.set(url.host, cookies)
  const sent = request({
    ...{ host: 'localhost', port: url.port, path: url.pathname + url.search },
    method: form === undefined ? 'GET' : 'POST',
    headers: {
      host: url.host,
      accept: 'text/html',
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(form !== undefined && {
        origin: url.origin,
        'content-type': 'application/x-www-form-urlencoded',
      }),
    },
  }).end(form)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  for (const line of answer.headers['set-cookie'] ?? []) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '') cookies.delete(name)
    else cookies.set(name, value)
  }
  return answer
}
