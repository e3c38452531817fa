import { createSessionStore } from '@latchkey/session-store'
import { record } from './record.ts'

/** Keeps a session at the address of its one argument, and reads it back. */
async function keepOne(): Promise<void> {
  const store = createSessionStore({
    url: process.argv[2] ?? '',
    secret: 'a secret of the tests, 32 characters long',
  })
  await store.set('of a process', record({ cart: 1 }))
  process.stdout.write(`read back ${(await store.get('of a process'))?.data.cart}\n`)
  await store.close()
}

void keepOne()
