import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request as send } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AuthOptions, createAuthRouter, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'
import inject from 'light-my-request'
import { selfSigned } from '../test/support/certificate.ts'
import { start } from './parts/child.ts'
import type { BenchClient } from './parts/login.ts'
import { median, row } from './parts/numbers.ts'

/**
 * The cost of agents: a login with a consent page beside one without, with real passwords, by the CPU of the issuer; and an API request
 * with an access token for a resource with scopes beside one for an audience, without sockets. Each pair takes turns in one run.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 15)
const LOGINS = Number(process.env.LOGINS ?? 20)
const REQUESTS = Number(process.env.REQUESTS ?? 200)
const RESOURCE = 'http://127.0.0.1:9/mcp'
const REDIRECT_URI = 'http://localhost:3000/callback'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-agents-'))
const certificate = await selfSigned('agent.localhost')
writeFileSync(join(folder, 'authority.pem'), certificate.cert)
process.env.NODE_EXTRA_CA_CERTS = join(folder, 'authority.pem')
const host = createServer(certificate, (_request, response) => {
  response.setHeader('content-type', 'application/json').setHeader('cache-control', 'max-age=3600')
  response.end(JSON.stringify({ client_id: agentId, redirect_uris: [REDIRECT_URI] }))
})
host.listen(0, '127.0.0.1')
await once(host, 'listening')
const agentId = `https://agent.localhost:${(host.address() as AddressInfo).port}/client.json`

const issuer = await start('issuer', 'sqlite', 'real')
const caller = await issuer.ask<BenchClient>('openToAgents', RESOURCE)
const connections = new Agent({ keepAlive: true })

interface Answer {
  readonly location: string
  readonly cookies: readonly string[]
  readonly body: string
}

function ask(method: string, url: string, cookies: readonly string[], form?: URLSearchParams) {
  return new Promise<Answer>((resolve, reject) => {
    const { pathname, search } = new URL(url, `http://${caller.host}`)
    const headers = {
      ...{ host: caller.host, accept: 'text/html', cookie: cookies.join('; ') },
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
    }
    const target = { host: '127.0.0.1', port: issuer.port, path: pathname + search }
    const outgoing = send({ ...target, method, headers, agent: connections }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
      })
      response.on('end', () => {
        const { location = '', 'set-cookie': set = [] } = response.headers
        resolve({ location, cookies: set.map((line) => line.split(';')[0] ?? ''), body })
      })
    })
    outgoing.on('error', reject).end(form?.toString())
  })
}

/** A whole login of a new browser, up to the access token. Forms are answered as they come. */
async function logIn(client: Pick<BenchClient, 'id' | 'secret'>): Promise<string> {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    ...{ client_id: client.id, redirect_uri: REDIRECT_URI, response_type: 'code', state: 'state' },
    ...{ scope: 'notes:read', resource: RESOURCE, code_challenge_method: 'S256' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  })
  const jar = new Map<string, string>()
  const visit = async (method: string, url: string, form?: URLSearchParams): Promise<Answer> => {
    const sent = [...jar].map((pair) => pair.join('='))
    const answer = await ask(method, url, sent, form)
    for (const cookie of answer.cookies) jar.set(...(cookie.split(/=(.*)/s, 2) as [string, string]))
    return answer
  }
  let url = `/oidc/auth?${query}`
  let answer = await visit('GET', url)
  while (!answer.location.startsWith(REDIRECT_URI)) {
    if (answer.location !== '') {
      url = answer.location
      answer = await visit('GET', url)
      continue
    }
    const csrf = /name="csrf" value="([^"]*)"/.exec(answer.body)?.[1]
    if (csrf === undefined) throw new Error(`There is no form: ${answer.body}`)
    const fields = answer.body.includes('value="allow"')
      ? { csrf, answer: 'allow' }
      : { csrf, email: 'ada@example.com', password: 'correct horse' }
    answer = await visit('POST', url, new URLSearchParams(fields))
  }
  const { body } = await ask(
    'POST',
    '/oidc/token',
    [],
    new URLSearchParams({
      ...{ grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, client_id: client.id },
      ...{ code_verifier: verifier, resource: RESOURCE },
      ...(client.secret && { client_secret: client.secret }),
      code: new URL(answer.location).searchParams.get('code') ?? '',
    }),
  )
  const { access_token: token } = JSON.parse(body) as { access_token?: string }
  if (token === undefined) throw new Error(`The code was refused: ${body}`)
  return token
}

/** The CPU of the issuer for one login, in milliseconds. */
async function cpuOfLogin(client: Pick<BenchClient, 'id' | 'secret'>): Promise<number> {
  const before = await issuer.cpu()
  for (let n = 0; n < LOGINS; n++) await logIn(client)
  return (((await issuer.cpu()) - before) / LOGINS) * 1_000
}

function createApi(options: AuthOptions, scopes: string[]): Express {
  const app = express()
  const toIssuer = async (url: URL | string | Request): Promise<Response> => {
    const { body } = await ask('GET', String(url), [])
    return new Response(body, { headers: { 'content-type': 'application/json' } })
  }
  app.use(
    createAuthRouter({
      ...{ issuer: `http://${caller.host}`, clientId: caller.id, clientSecret: caller.secret },
      ...{ baseUrl: 'http://127.0.0.1:9', session: { secret: 'x'.repeat(40) } },
      ...{ logger: false, fetch: toIssuer as typeof fetch, ...options },
    }),
  )
  app.get(
    '/mcp',
    requireUser({ accept: ['bearer'], ...(scopes.length > 0 && { scopes }) }),
    (_, res) => {
      res.send('ok')
    },
  )
  return app
}

/** The CPU of one request, in microseconds. */
async function cpuOfRequest(app: Express, token: string): Promise<number> {
  const begun = process.cpuUsage()
  for (let n = 0; n < REQUESTS; n++) {
    const headers = { host: '127.0.0.1:9', authorization: `Bearer ${token}` }
    const { statusCode, body } = await inject(app, { url: '/mcp', headers })
    if (statusCode !== 200) throw new Error(`The API answered with ${statusCode}: ${body}`)
  }
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / REQUESTS
}

/** Measures two things in turns; prints the medians, and that of the ratios of each round. */
async function compare(unit: string, pair: Record<string, () => Promise<number>>): Promise<void> {
  const all = Object.entries(pair).map(([name, measure]) => ({
    name,
    measure,
    found: [] as number[],
  }))
  // The first rounds warm up.
  for (let round = -2; round < ROUNDS; round++) {
    for (const one of round % 2 ? all : all.toReversed()) {
      const cpu = await one.measure()
      if (round >= 0) one.found.push(cpu)
    }
  }
  console.log(row('', unit, 'to the first'))
  for (const { name, found } of all) {
    const ratios = found.map((value, n) => value / (all[0]?.found[n] ?? Number.NaN))
    const spread = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2))
    console.log(
      row(name, median(found), `${median(ratios).toFixed(3)}`),
      ` (${spread.join(' to ')})`,
    )
  }
}

await compare('CPU, ms', {
  'a login without consent': () => cpuOfLogin(caller),
  'a login with consent': () => cpuOfLogin({ id: agentId, secret: '' }),
})
const token = await logIn({ id: agentId, secret: '' })
const scopes = { 'notes:read': 'Read your notes' }
const byAudience = createApi({ bearer: { audience: RESOURCE } }, [])
const byResource = createApi({ resources: [{ path: '/mcp', name: 'Notes', scopes }] }, [
  'notes:read',
])
await compare('CPU, µs', {
  'a request for an audience': () => cpuOfRequest(byAudience, token),
  'a request for a resource': () => cpuOfRequest(byResource, token),
})

connections.destroy()
host.close()
host.closeAllConnections()
await issuer.stop()
rmSync(folder, { recursive: true })
