import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openSqliteDataStore } from '../../src/store/sqlite/data-store.ts'
import { IN_MEMORY } from '../../src/store/sqlite/database.ts'
import { describeDataStore } from './data-store-suite.ts'

const root = mkdtempSync(join(tmpdir(), 'latchkey-store-'))
afterAll(() => rmSync(root, { recursive: true }))

describeDataStore('SQLite in memory', () => openSqliteDataStore(IN_MEMORY))
describeDataStore('SQLite', () => openSqliteDataStore(mkdtempSync(join(root, 'data-'))))
