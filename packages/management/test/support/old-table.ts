import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManagementClient } from '@latchkey/management'
import { expect } from 'vitest'
import type { Installation } from './command.ts'

/** A hash of `PASSWORD`. */
export const BCRYPT = '$2b$10$Rmj06lYZT6tgxjrYBdF.Q.J/KGz22BmtWk.LyLTQoj34W7BSjhZBC'
export const PASSWORD = 'correct horse'
const md5 = (text: string) => createHash('md5').update(text).digest('hex')

/** Rows of an old table; every 40th has an md5 hash. */
export function oldTable(rows: number): string {
  const lines = Array.from({ length: rows }, (_, n) => {
    const isMd5 = n % 40 === 0
    const hash = isMd5 ? `${md5(`secret ${n}`)},md5` : `${BCRYPT},bcrypt`
    return `old-${n},user-${n}@example.com,User ${n},${hash}`
  })
  return `id,email,name,password_hash,algorithm\n${lines.join('\n')}\n`
}

/** Rows of an old table with hashes of Django. */
export function legacyTable(rows: number): string {
  const hash = 'pbkdf2_sha1$1000$salt$um5PLH8ivEcrRJVasTZXh8+vxX0='
  const lines = Array.from(
    { length: rows },
    (_, n) => `old-${n},user-${n}@example.com,User ${n},${hash}`,
  )
  return `id,email,name,password_hash\n${lines.join('\n')}\n`
}

/** Writes a file into the folder of the commands; gives its name back. */
export function write(installation: Installation, name: string, text: string): string {
  writeFileSync(join(installation.folder, name), text)
  return name
}

/** The rows of such a file, without the line of names. */
export function rowsOf(installation: Installation, name: string): string[][] {
  const text = readFileSync(join(installation.folder, name), 'utf8').trim()
  return text
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
}

/** Every user of the tenant. */
export async function allUsers({ url, key, tenantId }: Installation) {
  const client = createManagementClient({ baseUrl: url, apiKey: key })
  return Array.fromAsync(client.users(tenantId).list())
}

/** Resolves when the process is killed, as soon as so many users more were created. */
export function killAfter(
  child: ChildProcess,
  { service }: Installation,
  users: number,
): Promise<void> {
  let created = 0
  return new Promise((resolve) => {
    child.once('exit', () => {
      service.events.off('change', onChange)
      resolve()
    })
    function onChange({ action }: { action: string }): void {
      if (action === 'user.create' && ++created === users) child.kill('SIGKILL')
    }
    service.events.on('change', onChange)
  })
}

/** Each row of the old table is one user, and the result says which. */
export async function expectMapped(installation: Installation, rows: number): Promise<void> {
  const users = await allUsers(installation)
  const emails = users.map(({ profile }) => profile.email)
  expect(emails).toHaveLength(rows)
  expect(new Set(emails).size).toBe(rows)
  const byId = new Map(users.map((user) => [user.id, user.profile.email]))
  const mapping = rowsOf(installation, 'users.csv.result.csv')
  expect(new Set(mapping.map(([old]) => old)).size).toBe(rows)
  for (const [old = '', id = ''] of mapping) {
    expect(byId.get(id)).toBe(`${old.replace('old', 'user')}@example.com`)
  }
}
