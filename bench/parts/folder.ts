import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createIdentityService } from '@latchkey/service'

/** A data folder with one tenant, and what a client needs to know of it. */
export interface Folder {
  path: string
  tenantId: string
  headers: { authorization: string }
  /** Another folder with the same content. */
  copy(): string
  remove(): void
}

/** The id of the nth user that {@link makeFolder} made. */
export function userId(n: number): string {
  return `usr_${String(n).padStart(26, '0')}`
}

/** Makes a data folder with so many users, written straight into the database. */
export async function makeFolder(users: number): Promise<Folder> {
  const root = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  const path = join(root, 'data')
  const service = await createIdentityService({ data: path })
  const { id } = await service.admin.createTenant({ domain: 'acme.example.com' })
  const { secret } = await service.admin.createApiKey({ name: 'bench', reach: 'all' })
  await service.close()
  insertUsers(join(path, 'data.db'), id, users)
  let copies = 0
  return {
    path,
    tenantId: id,
    headers: { authorization: `Bearer ${secret}` },
    copy() {
      const to = join(root, `copy-${++copies}`)
      cpSync(path, to, { recursive: true })
      return to
    },
    remove: () => rmSync(root, { recursive: true }),
  }
}

function insertUsers(file: string, tenantId: string, count: number): void {
  const database = new DatabaseSync(file)
  const insert = database.prepare(INSERT_USER)
  for (let n = 0; n < count; ) {
    database.exec('begin')
    for (const end = Math.min(count, n + 50_000); n < end; n++) {
      insert.run(...userRow(tenantId, userId(n), `user-${n}@example.com`))
    }
    database.exec('commit')
  }
  database
    .prepare('update counters set value = value + ? where scope = ?')
    .run(count, `users:${tenantId}`)
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()
}

/** Inserts a {@link userRow}. */
export const INSERT_USER = `insert into users (tenant_id, id, email, email_key, profile, metadata,
  disabled, verified_at, sessions_valid_after, created_at, updated_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** The columns of a user with a name and two members of metadata. */
export function userRow(tenantId: string, id: string, email: string): (string | number | null)[] {
  const at = 1_800_000_000_000_000
  return [
    tenantId,
    id,
    email,
    email,
    '{"name":"Ada Lovelace","given_name":"Ada","family_name":"Lovelace"}',
    '{"crm":"12345","plan":"gold"}',
    0,
    null,
    0,
    at,
    at,
  ]
}
