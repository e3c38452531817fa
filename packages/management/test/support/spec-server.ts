import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Json = Record<string, unknown>

/** A server of the API by its specification alone. */
export interface SpecServer extends AsyncDisposable {
  url: string
  apiKey: string
  tenantId: string
  /** Bodies of the POST requests that came, in order. */
  posted: Json[]
}

/**
 * Starts a server that does what the specification says and nothing besides: it leaves out every
 * member that may be left out, adds members that the specification does not know, lists everything at
 * once, and sends no header of its own. Emails may repeat; ids sort in no order.
 */
export async function startSpecServer(): Promise<SpecServer> {
  const apiKey = 'spec_0123456789'
  const tenantId = 't1'
  const posted: Json[] = []
  const collections = new Map<string, Map<string, Json>>()
  const stamp = (): string => new Date().toISOString()
  let number = 0

  const tenant = { type: 'Tenant', id: tenantId, settings: { domain: 'login.example' } }
  const system = { created_at: stamp(), updated_at: stamp(), region: 'north' }
  collections.set('/v1/tenants', new Map([[tenantId, { ...tenant, ...system }]]))

  function respond(method: string, path: string, body: Json): [status: number, body: Json] {
    const segments = path.split('/').length
    const id = path.slice(path.lastIndexOf('/') + 1)
    if (segments % 2 === 1) {
      const collection = collectionAt(path)
      if (method === 'GET') {
        const data = [...collection.values()].map((object) => shown(object, false))
        return [200, { type: 'List', total: data.length, count: data.length, limit: 100, data }]
      }
      const object = { ...body, id: newId(body), created_at: stamp(), updated_at: stamp() }
      const kept = { ...object, ...(body.type === 'Application' && { secret: 's3cret' }) }
      collection.set(String(object.id), hashed(kept))
      return [201, shown(hashed(kept), true)]
    }
    const collection = collectionAt(path.slice(0, path.lastIndexOf('/')))
    const stored = collection.get(id)
    if (!stored) return [404, error('no_such_thing', 404)]
    if (method === 'DELETE') collection.delete(id)
    if (method !== 'POST') return [200, shown(stored, method === 'DELETE')]
    const { secret, created_at } = stored
    const next = {
      ...body,
      id,
      created_at,
      updated_at: stamp(),
      ...(secret !== undefined && { secret }),
    }
    collection.set(id, next)
    return [200, shown(next, false)]
  }

  function collectionAt(path: string): Map<string, Json> {
    const found = collections.get(path) ?? new Map<string, Json>()
    collections.set(path, found)
    return found
  }

  function newId(body: Json): string {
    number += 1
    return body.type === 'PasswordCredential' ? 'password' : `x${(number * 7919) % 10007}`
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = req.method === 'POST' ? ((await readJson(req)) as Json) : {}
    const [path = ''] = (req.url ?? '').split('?')
    const isKnown = req.headers.authorization === `Bearer ${apiKey}`
    if (req.method === 'POST') posted.push(body)
    const [status, answer] = isKnown
      ? respond(req.method ?? '', path, body)
      : [401, error('authentication_failure', 401)]
    res.writeHead(status).end(JSON.stringify(answer))
  }

  const server = createServer((req, res) => {
    serve(req, res).catch((cause) => res.destroy(cause))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    apiKey,
    tenantId,
    posted,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What is stored of a credential: legacy hashes are wrapped, plain passwords hashed. */
function hashed(object: Json): Json {
  const password = object.password as { alg: string; hash: string } | undefined
  if (!password || password.alg === 'bcrypt') return object
  const alg = password.alg === 'plain' ? 'bcrypt' : `${password.alg}|bcrypt`
  return { ...object, password: { alg, hash: `$2b$10$${'x'.repeat(53)}` } }
}

/** The object without whatever may be omitted, with a member that nobody knows. */
function shown(object: Json, withoutSecret: boolean): Json {
  const { secret, ...rest } = object
  return { ...sparse({ ...rest, ...(!withoutSecret && { secret }) }), x_shard: 7 }
}

function sparse(object: Json): Json {
  const entries = Object.entries(object).map(([name, value]): [string, unknown] => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return [name, isObject ? sparse(value as Json) : value]
  })
  return Object.fromEntries(entries.filter(([, value]) => !isZero(value)))
}

function isZero(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  return !value
}

function error(code: string, status_code: number): Json {
  return { type: 'Error', uuid: crypto.randomUUID(), code, status_code }
}

async function readJson(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}
