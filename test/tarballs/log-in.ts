import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { logIn, startIdentity } from '@latchkey/testing'
import type { App, Client } from './client.ts'

// A user logs in to each of the applications and reads the plan that the ID token brings.
const folder = new URL('applications/', import.meta.url)
const files = (await readdir(folder)).map((file) => new URL(file, folder))
assert.ok(files.length > 0)
const identity = await startIdentity()
const user = await identity.createUser({ claims: { plan: 'gold' } })
for (const file of [...files, new URL('beside-bearer.ts', import.meta.url)]) {
  const { create }: { create(client: Client): App } = await import(file.href)
  const browser = await logIn(create(identity.clientOptions()), user)
  assert.equal((await browser.get('/plan')).text, 'gold', file.href)
}
await identity.close()
