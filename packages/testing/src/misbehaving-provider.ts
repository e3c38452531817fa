import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { answer } from './misbehaving/endpoints.ts'
import { issueAccessToken, issueLogoutToken } from './misbehaving/issued-tokens.ts'
import { answerBadly } from './misbehaving/network.ts'
import type {
  MisbehavingProvider,
  MisbehavingProviderOptions,
  ProviderRequest,
} from './misbehaving/provider.ts'
import { networkFault, shownBy } from './misbehaving/requests.ts'
import { close, listen, readAll } from './misbehaving/server.ts'
import { ownKeys } from './misbehaving/signing.ts'
import { createState } from './misbehaving/state.ts'

export type { Fault } from './misbehaving/faults.ts'
export type {
  JsonAnswer,
  MisbehavingProvider,
  MisbehavingProviderOptions,
  ProviderRequest,
} from './misbehaving/provider.ts'

const CLIENT_SECRET = 'client-secret-that-nobody-may-ever-see'

/** Starts a misbehaving provider on a free loopback port. */
export async function startMisbehavingProvider(
  options: MisbehavingProviderOptions = {},
): Promise<MisbehavingProvider> {
  let server = createServer(listener)
  const port = await listen(server, 0)
  const url = `http://127.0.0.1:${port}`
  const issuer = options.issuer ?? url
  const { origin, pathname } = new URL(issuer)
  const base = pathname.replace(/\/$/, '')
  const keys = ownKeys()
  let held: (() => void)[] = []

  const provider: MisbehavingProvider = {
    issuer,
    url,
    fetch: (input, init) => fetch(String(input).replace(origin, url), init),
    clientId: 'app',
    clientSecret: CLIENT_SECRET,
    fault: undefined,
    user: { sub: 'ada', name: 'Ada', email: 'ada@example.com' },
    metadata: {},
    accessTokenSeconds: 600,
    errorDescription: undefined,
    tokenAnswer: undefined,
    rewrite: undefined,
    requests: [],
    secrets: [CLIENT_SECRET],
    count: (path) => provider.requests.filter((request) => request.path === path).length,
    rotateKey(alg) {
      state.key = keys.take(randomBytes(6).toString('hex'), alg)
    },
    logoutToken: (claims, header) => issueLogoutToken(state, claims, header),
    accessToken: (claims, header) => issueAccessToken(state, claims, header),
    issuedSids: () => [...state.sids],
    release() {
      provider.fault = undefined
      for (const resume of held) resume()
      held = []
    },
    stop: () => close(server),
    async start() {
      server = createServer(listener)
      await listen(server, port)
    },
    close: end,
    [Symbol.asyncDispose]: end,
  }
  const state = createState(provider, keys.take('first'))

  async function end(): Promise<void> {
    await close(server)
    keys.release()
  }

  function listener(req: IncomingMessage, res: ServerResponse): void {
    serve(req, res).catch((error) => {
      process.stderr.write(`${inspect(error)}\n`)
      res.statusCode = 500
      res.end('The misbehaving provider failed; see the log of the test.')
    })
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', issuer)
    const path = url.pathname.replace(base, '')
    const request: ProviderRequest = {
      method: req.method ?? 'GET',
      path,
      query: url.searchParams,
      body: new URLSearchParams(await readAll(req)),
      authorization: req.headers.authorization,
    }
    provider.requests.push(request)
    provider.secrets.push(...shownBy(request))
    const bad = networkFault(provider.fault, path)
    if (bad === 'delayed') await new Promise<void>((resume) => held.push(resume))
    else if (bad) return answerBadly(bad, res)
    // If the client has disconnected, no answer is needed.
    if (!req.socket.destroyed) answer(state, request, url.pathname, res)
  }

  return provider
}
