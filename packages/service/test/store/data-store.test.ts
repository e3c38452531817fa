import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { createMemoryDataStore } from '../../src/store/memory/data-store.ts'
import { openSqliteDataStore } from '../../src/store/sqlite/data-store.ts'
import { describeDataStore } from './data-store-suite.ts'

const root = mkdtempSync(join(tmpdir(), 'latchkey-store-'))
afterAll(() => rmSync(root, { recursive: true }))

describeDataStore('memory', async () => createMemoryDataStore())
describeDataStore('SQLite', () => openSqliteDataStore(mkdtempSync(join(root, 'data-'))))
