import assert from 'node:assert/strict'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { logIn, startIdentity } from '@latchkey/testing'
import type { App, Client } from './client.ts'

// A user logs in to each of the applications that are named, and reads the plan that the ID token brings.
const files = process.argv.slice(2)
assert.ok(files.length > 0)
const identity = await startIdentity()
const user = await identity.createUser({ claims: { plan: 'gold' } })
for (const file of files) {
  const { href } = pathToFileURL(path.resolve(file))
  const { create }: { create(client: Client): App } = await import(href)
  const browser = await logIn(create(identity.clientOptions()), user)
  assert.equal((await browser.get('/plan')).text, 'gold', file)
}
await identity.close()
