import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIdentityService, type IdentityService } from '@latchkey/service'
import { expect } from 'vitest'
import { atFileEnd } from '../../../../test/support/file-end.ts'
import type { IdentityServiceOptions } from '../../src/service-options.ts'
import {
  endSharedClusters,
  overHttp,
  PROCESSES,
  sharedCluster,
  withoutProcesses,
} from './cluster.ts'
import { checkConformance } from './conformance.ts'

/** Where a service keeps its data; `cluster`: four processes on PostgreSQL and Redis answer in turn. */
export type StoreName = 'memory' | 'SQLite' | 'cluster'

/** What concerns data is true on each of them. `pnpm test:cluster` tries all of it on a cluster instead. */
export const stores: readonly StoreName[] = process.env.LATCHKEY_TEST_CLUSTER
  ? ['cluster']
  : ['SQLite']

/** The store of tests that are not about data: SQLite in memory, which is made in a millisecond. */
export const anyStore: StoreName = stores.includes('cluster') ? 'cluster' : 'memory'

/** The processes are told nothing that a service would not do by itself. */
const byDefault = {
  allowHttpOnLoopback: false,
  allowDeveloperMode: false,
  trustedProxies: [],
}

atFileEnd(endSharedClusters)

export interface Answer {
  status: number
  headers: Headers
  /** The JSON of the body; `undefined` when it is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as a client without types does
  body: any
}

/** JSON is written for an object; a string or bytes are sent as they are. */
export type Body = object | string | Uint8Array

/** A running service with one tenant and an API key that reaches this tenant alone. */
export interface Api extends AsyncDisposable {
  service: IdentityService
  /** The secret of the API key. */
  key: string
  tenantId: string
  /** `/v1/tenants/<id of the tenant>` */
  tenant: string
  applications: string
  users: string
  /** Sends a request with the API key, unless `headers` says otherwise. */
  call(method: string, path: string, body?: Body, headers?: Record<string, string>): Promise<Answer>
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body: Body, headers?: Record<string, string>): Promise<Answer>
  delete(path: string): Promise<Answer>
  /** Creates an object and gives its body back. */
  create(path: string, body: Body): Promise<Answer['body']>
  /** Creates a user and gives its body back. */
  createUser(email?: string): Promise<Answer['body']>
}

/** Starts a service that is reached without a socket. Dispose it, and its data is gone. */
export async function startApi(
  store: StoreName = anyStore,
  options: IdentityServiceOptions = {},
): Promise<Api> {
  const started = await (store === 'cluster' ? onCluster(options) : onOne(store, options))
  const { service, fetch } = started
  const tenant = await service.admin.createTenant({ domain: 'acme.example' })
  const { secret } = await service.admin.createApiKey({ name: 'tests', reach: [tenant.id] })
  const api = connectApi(fetch, secret, tenant.id)
  return { ...api, service, [Symbol.asyncDispose]: started.close }
}

interface StartedService {
  service: IdentityService
  fetch: typeof globalThis.fetch
  close(): Promise<void>
}

async function onOne(store: StoreName, options: IdentityServiceOptions): Promise<StartedService> {
  const folder =
    store === 'SQLite' ? mkdtempSync(join(tmpdir(), 'latchkey-service-test-')) : undefined
  const service = await createIdentityService({
    data: folder,
    requestsPerSecond: 1_000_000,
    ...options,
  })
  return {
    service,
    fetch: service.fetch,
    async close() {
      await service.close()
      if (folder) rmSync(folder, { recursive: true })
    },
  }
}

/**
 * Services of the cluster that answer in turn: its processes, or, as options may hold functions, as many
 * in this one. Tests look into one more.
 */
async function onCluster(options: IdentityServiceOptions): Promise<StartedService> {
  const isPlain = Object.keys(options).length === 0
  const cluster = await sharedCluster(isPlain ? byDefault : withoutProcesses)
  const { database, options: shared, processes } = cluster
  await database.empty()
  const { database: url, redis, masterKey } = shared
  const open = () => {
    const key = options.masterKeyFile === undefined ? { masterKey } : {}
    return createIdentityService({
      ...{ database: url, redis, ...key, requestsPerSecond: 1_000_000 },
      ...options,
    })
  }
  const service = await open()
  const others = isPlain ? [] : await Promise.all(Array.from({ length: PROCESSES }, open))
  const doors = isPlain
    ? processes.map(({ port }) => overHttp(port))
    : others.map(({ fetch }) => fetch)
  let turn = 0
  return {
    service: { ...service, fetch: inTurn },
    fetch: inTurn,
    async close() {
      await Promise.all([service, ...others].map((one) => one.close()))
    },
  }

  function inTurn(...args: Parameters<typeof globalThis.fetch>): Promise<Response> {
    return (doors[turn++ % doors.length] as typeof globalThis.fetch)(...args)
  }
}

/** The calls of an {@link Api} over any `fetch`. */
export function connectApi(
  fetch: typeof globalThis.fetch,
  key: string,
  tenantId: string,
): Omit<Api, 'service' | typeof Symbol.asyncDispose> {
  const tenant = `/v1/tenants/${tenantId}`
  const users = `${tenant}/users`

  const call: Api['call'] = async (method, path, body, headers = {}) => {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    const response = await fetch(`https://api.example${path}`, {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
    })
    const text = await response.text()
    const answer = {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
    checkConformance(method, path, answer)
    return answer
  }
  const create: Api['create'] = async (path, body) => {
    const answer = await call('POST', path, body)
    expect(answer.body).toMatchObject({ id: expect.any(String) })
    return answer.body
  }

  let number = 0
  return {
    key,
    tenantId,
    tenant,
    users,
    applications: `${tenant}/applications`,
    call,
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body, headers) => call('POST', path, body, headers),
    delete: (path) => call('DELETE', path),
    create,
    createUser: (email = `user-${++number}@example.com`) => create(users, { profile: { email } }),
  }
}
