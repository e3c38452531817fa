import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IdentityService } from '@latchkey/service'
import { expect } from 'vitest'
import { type WriteAction, writeActions } from '../../src/domain/writes/commit.ts'
import { type Answer, type Api, type Body, type StoreName, startApi } from './api.ts'

/** A running service whose writes are watched: by their change events, and by the audit log. */
export interface Writes
  extends AsyncDisposable,
    Pick<Api, 'tenant' | 'tenantId' | 'users' | 'applications' | 'get'> {
  readonly service: IdentityService
  /** The admin commands, which note what is called. */
  readonly admin: IdentityService['admin']
  /** Both note what is asked for. */
  post(path: string, body: Body): Promise<Answer>
  remove(path: string): Promise<Answer>
  /** Expects that these writes are emitted, and are in the audit log, once each and in this order, when an operation ends. */
  emits<T>(expected: readonly WriteAction[], operation: () => Promise<T>): Promise<T>
  /** Puts a new master key in front, and waits until this many writes have been emitted. */
  putMasterKeyInFront(writes: number): Promise<void>
  /** The link of the newest message of the tenant. */
  newestLink(): Promise<string>
  /** All writes that were expected so far. */
  readonly seen: ReadonlySet<WriteAction>
  /** The names of the admin commands that were called. */
  readonly commands: ReadonlySet<string>
  /** The requests that change something, such as `POST /v1/tenants/1`. */
  readonly requests: readonly string[]
}

const newKey = () => `${randomBytes(32).toString('base64')}\n`

/** Starts a service with one tenant, whose master key lies in a file. */
export async function startWrites(store: StoreName): Promise<Writes> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-events-'))
  const masterKeyFile = join(folder, 'master.key')
  writeFileSync(masterKeyFile, newKey())
  const api = await startApi(store, { masterKeyFile })
  const { service, tenant, tenantId, users, applications, get } = api
  const emitted: string[] = []
  service.events.on('change', ({ action }) => void emitted.push(action))
  const seen = new Set<WriteAction>()
  const commands = new Set<string>()
  const requests: string[] = []
  const admin = new Proxy(service.admin, {
    get(target, name) {
      commands.add(String(name))
      return Reflect.get(target, name)
    },
  })

  async function audited(): Promise<string[]> {
    const actions = (await admin.audit({ limit: 1_000 })).map(({ action }) => action)
    return actions.filter((action) => writeActions.some((write) => write === action)).reverse()
  }

  return {
    ...{ service, admin, tenant, tenantId, users, applications, get, seen, commands, requests },
    post(path, body) {
      requests.push(`POST ${path}`)
      return api.post(path, body)
    },
    remove(path) {
      requests.push(`DELETE ${path}`)
      return api.delete(path)
    },
    async emits(expected, operation) {
      emitted.length = 0
      const before = (await audited()).length
      const result = await operation()
      expect(emitted).toEqual(expected)
      expect((await audited()).slice(before)).toEqual(expected)
      for (const action of expected) seen.add(action)
      return result
    },
    async putMasterKeyInFront(writes) {
      writeFileSync(masterKeyFile, newKey() + readFileSync(masterKeyFile, 'utf8'))
      await expect.poll(() => emitted.length).toBe(writes)
    },
    async newestLink() {
      const [newest] = await service.outbox.list(tenantId)
      return newest?.link ?? ''
    },
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}
