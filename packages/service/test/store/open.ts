/**
 * Opens the data of a folder once its standard input ends, and makes its tables first where it is
 * empty: `open.ts FOLDER`. Says so when it is waiting.
 */
import { text } from 'node:stream/consumers'
import { openSqliteDataStore } from '../../src/store/sqlite/data-store.ts'

const [, , folder = ''] = process.argv
process.stdout.write('waiting\n')
await text(process.stdin)
const store = await openSqliteDataStore(folder)
await store.check()
await store.close()
