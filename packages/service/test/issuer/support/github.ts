import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An account at the stand-in, with the fields of GitHub's API that are read. */
export interface GithubAccount {
  id: unknown
  login: string
  name: string | null
  emails: { email: string; primary: boolean; verified: boolean; visibility: string | null }[]
}

export const octocat = (): GithubAccount => ({
  id: 583_231,
  login: 'octocat',
  name: 'The Octocat',
  emails: [
    {
      email: '583231+octocat@users.noreply.github.com',
      primary: false,
      verified: true,
      visibility: null,
    },
    { email: 'octocat@example.com', primary: true, verified: true, visibility: 'private' },
  ],
})

/**
 * A server that answers as GitHub documents it: the web application flow, errors of the token endpoint with status 200,
 * and two addresses of the API, as an Enterprise Server has them.
 *
 * @see https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
 */
export async function startGithub() {
  const clientId = 'Iv1.0123456789abcdef'
  const clientSecret = 'secret of the app'
  const codes = new Map<string, { redirectUri: string; challenge: string | null }>()
  const tokens = new Map<string, string>()
  const state = {
    account: octocat(),
    /** The answer of the next authorization request. */
    denies: false,
    /** The status of the API. */
    apiStatus: 200,
    /** The requests that came in. */
    requests: [] as string[],
    authorization: undefined as URLSearchParams | undefined,
  }

  function authorize(url: URL, response: ServerResponse): void {
    const { searchParams } = url
    state.authorization = searchParams
    const back = new URL(searchParams.get('redirect_uri') ?? '')
    back.searchParams.set('state', searchParams.get('state') ?? '')
    if (state.denies) {
      back.searchParams.set('error', 'access_denied')
      back.searchParams.set('error_description', 'The user has denied your application access.')
    } else {
      const code = randomBytes(10).toString('hex')
      codes.set(code, {
        redirectUri: searchParams.get('redirect_uri') ?? '',
        challenge: searchParams.get('code_challenge'),
      })
      back.searchParams.set('code', code)
    }
    response.writeHead(302, { location: back.href }).end()
  }

  function token(form: URLSearchParams): object {
    if (form.get('client_id') !== clientId || form.get('client_secret') !== clientSecret) {
      return refused(
        'incorrect_client_credentials',
        'The client_id and/or client_secret passed are incorrect.',
      )
    }
    const given = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const verifier = form.get('code_verifier') ?? ''
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    if (!given || challenge !== given.challenge) {
      return refused('bad_verification_code', 'The code passed is incorrect or expired.')
    }
    if (form.get('redirect_uri') !== given.redirectUri) {
      return refused(
        'redirect_uri_mismatch',
        'The redirect_uri MUST match the registered callback URL.',
      )
    }
    const accessToken = `gho_${randomBytes(18).toString('hex')}`
    tokens.set(accessToken, 'user:email')
    return { access_token: accessToken, scope: 'user:email', token_type: 'bearer' }
  }

  function api(path: string, request: IncomingMessage): [status: number, body: unknown] {
    const [, held = ''] = /^bearer (.*)$/i.exec(request.headers.authorization ?? '') ?? []
    if (!tokens.has(held)) return [401, { message: 'Bad credentials', status: '401' }]
    if (!request.headers['user-agent'])
      return [403, { message: 'Request forbidden by administrative rules.' }]
    if (state.apiStatus !== 200) return [state.apiStatus, { message: 'Forbidden' }]
    const { id, login, name, emails } = state.account
    if (path === '/user/emails') return [200, emails]
    return [200, { login, id, node_id: 'MDQ6VXNlcjE=', type: 'User', name, email: null }]
  }

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', 'http://localhost')
    state.requests.push(`${request.method} ${url.pathname}`)
    if (url.pathname === '/login/oauth/authorize') return authorize(url, response)
    const json = (status: number, body: unknown) =>
      response
        .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
        .end(JSON.stringify(body))
    if (url.pathname === '/login/oauth/access_token') {
      let body = ''
      for await (const chunk of request) body += chunk
      const granted = token(new URLSearchParams(body))
      if (/json/.test(request.headers.accept ?? '')) return json(200, granted)
      const form = new URLSearchParams(granted as Record<string, string>).toString()
      return response
        .writeHead(200, { 'content-type': 'application/x-www-form-urlencoded' })
        .end(form)
    }
    return json(...api(url.pathname.replace('/api/v3', ''), request))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    issuer: `http://localhost:${(server.address() as AddressInfo).port}`,
    clientId,
    clientSecret,
    state,
    tokens,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function refused(error: string, description: string): object {
  const error_uri = `/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors/#${error.replaceAll('_', '-')}`
  return { error, error_description: description, error_uri }
}
