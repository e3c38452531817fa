import { createReadStream, existsSync, rmSync } from 'node:fs'
import { mkdir, readdir, rename, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { listUnconfirmed, noteRestore, type Unconfirmed } from '../domain/operators/restores.ts'
import type { Micros } from '../store/records.ts'
import { type Comparison, compareWith } from '../store/sqlite/compare-backup.ts'
import { openSqliteDataStore } from '../store/sqlite/data-store.ts'
import { draftIn, removeLeftDrafts } from '../store/sqlite/drafts.ts'
import { takeOwnership } from '../store/sqlite/owner-lock.ts'
import { makePrivate } from '../store/sqlite/private-file.ts'
import { type BackupKeys, decrypted, encrypted, isEncrypted } from './backup-encryption.ts'
import { digestOf, writePrivate } from './backup-file.ts'

/** The number of objects in a backup, by table. */
export type BackupCounts = Record<string, number>

/** The tables to count. An operator can tell by the counts whether a backup is the right one. */
const COUNTED = ['tenants', 'applications', 'users', 'credentials', 'audit'] as const

/**
 * Writes a consistent copy of `data.db` into a file with mode 0600. A server may be using the
 * folder.
 *
 * @param keys - If given, the file is encrypted.
 * @throws if the folder has no data, the file already exists, or reading the file back gives other
 *   bytes than were written.
 */
export async function backUp(
  folder: string,
  file: string,
  keys?: BackupKeys,
): Promise<BackupCounts> {
  const source = join(folder, 'data.db')
  if (!existsSync(source)) throw new Error(`There is no data in ${folder}.`)
  // The unencrypted draft is in the data folder, where it is as well protected as the data itself.
  removeLeftDrafts(folder)
  const draft = draftIn(folder)
  try {
    makePrivate(draft)
    copyDatabase(source, draft)
    const counts = checkDatabase(draft, folder)
    const written = await writePrivate(file, () => {
      const content = createReadStream(draft)
      return keys ? encrypted(content, keys) : content
    })
    if ((await digestOf(file)) !== written) {
      rmSync(file, { force: true })
      throw new Error(`${file} does not hold what was written to it; check the disk.`)
    }
    return counts
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Options of a restore. */
export interface RestoreOptions {
  keys?: BackupKeys | undefined
  /**
   * The folder that the backup will replace. It is compared with the backup, and not changed. If its
   * data is missing or damaged, the backup is restored all the same.
   */
  replaces?: string | undefined
  /** Whether API keys and operators can be used without confirmation. */
  keepsAccess?: boolean | undefined
}

/** A restored backup. */
export interface Restored {
  counts: BackupCounts
  /**
   * The time of the newest entry in the audit log of the backup; `undefined` if the log is empty.
   */
  upTo: Micros | undefined
  /** The changes after the backup; `undefined` without a folder to compare with. */
  comparison: Comparison | undefined
  unconfirmed: Unconfirmed[]
}

/**
 * Makes a data folder from a backup, which does not contain the master key. All users are logged
 * out. API keys, operators and endpoints must be confirmed, because they may have been revoked or
 * deleted after the backup.
 *
 * @throws if the folder is in use or not empty, or the file is not an intact backup. Then the
 *   folder is unchanged.
 */
export async function restore(
  file: string,
  folder: string,
  { keys, replaces, keepsAccess = false }: RestoreOptions = {},
): Promise<Restored> {
  const isLocked = await isEncrypted(file)
  if (isLocked && !keys) {
    throw new Error(`${file} is encrypted; give --passphrase-file or --key-file.`)
  }
  await expectEmpty(folder)
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  // The data is first in a separate folder, so that it cannot be served before it is marked as a
  // backup.
  const drafts = join(folder, 'restore.part')
  const draft = join(drafts, 'data.db')
  try {
    await mkdir(drafts, { mode: 0o700 })
    await writePrivate(draft, () => {
      const content = createReadStream(file)
      return isLocked && keys ? decrypted(content, keys, file) : content
    })
    const counts = checkDatabase(draft, file)
    const noted = await noteIn(drafts, { replaces, keepsAccess })
    await rename(draft, join(folder, 'data.db'))
    await rmdir(drafts)
    return { counts, ...noted }
  } catch (error) {
    rmSync(drafts, { recursive: true, force: true })
    if (made !== undefined) await rmdir(folder)
    throw error
  }
}

/** Records in a data folder that its data is from a backup, and returns the facts to report. */
async function noteIn(
  folder: string,
  { replaces, keepsAccess }: { replaces: string | undefined; keepsAccess: boolean },
): Promise<Omit<Restored, 'counts'>> {
  // Opening the store also migrates an old backup.
  const store = await openSqliteDataStore(folder)
  try {
    const comparison =
      replaces === undefined ? undefined : compareWith(replaces, join(folder, 'data.db'))
    const [newest] = await store.audit.list({ limit: 1 })
    await noteRestore(store, { at: Date.now() * 1_000, keepsAccess })
    return { upTo: newest?.at, comparison, unconfirmed: await listUnconfirmed(store) }
  } finally {
    await store.close()
  }
}

async function expectEmpty(folder: string): Promise<void> {
  if (!existsSync(folder) || !(await stat(folder)).isDirectory()) return
  const names = await readdir(folder)
  if (names.length === 0) return
  if (names.includes('owner.lock')) takeOwnership(folder).release()
  throw new Error(`The folder ${folder} is not empty; restore into one that is, or does not exist.`)
}

/** Copies a database in one read transaction, which does not block writers. */
function copyDatabase(source: string, target: string): void {
  const database = new DatabaseSync(source, { readOnly: true })
  try {
    database.exec('pragma busy_timeout = 5000')
    database.prepare('vacuum into ?').run(target)
  } finally {
    database.close()
  }
}

/**
 * Checks a database, and counts its objects by table.
 *
 * @param name - The name of the database in the message of an error.
 * @throws if the file is not an intact database of this service.
 */
function checkDatabase(file: string, name: string): BackupCounts {
  const unsound = (cause?: unknown) =>
    new Error(`${name} does not hold a sound database of this service.`, { cause })
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const found = database.prepare('pragma integrity_check').all()
    if (Object.values(found[0] ?? {})[0] !== 'ok') throw unsound(found)
    if (database.prepare('pragma foreign_key_check').all().length > 0) throw unsound()
    return Object.fromEntries(
      COUNTED.map((table) => {
        const row = database.prepare(`select count(*) as n from ${table}`).get()
        return [table, Number(row?.n)]
      }),
    )
  } catch (error) {
    throw error instanceof Error && 'errcode' in error ? unsound(error) : error
  } finally {
    database.close()
  }
}
