import assert from 'node:assert/strict'
import { logIn, startIdentity } from '@latchkey/testing'
import * as applications from './application.ts'

// A user logs in to each of the applications and reads the plan that the ID token brings.
const { createBesideBearer } = await import('./beside-bearer.ts' as string)
const identity = await startIdentity()
const user = await identity.createUser({ claims: { plan: 'gold' } })
for (const create of [...Object.values(applications), createBesideBearer]) {
  const browser = await logIn(create(identity.clientOptions()), user)
  assert.equal((await browser.get('/plan')).text, 'gold', create.name)
}
await identity.close()
