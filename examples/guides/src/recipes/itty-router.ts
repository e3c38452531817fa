import type { User, Visit } from '@latchkey/core'
import { AutoRouter } from 'itty-router'
import { visitOf } from './with-login.ts'

// #region app
const router = AutoRouter()

router.get('/', (_request: unknown, { auth }: Visit<User, Response>) =>
  auth.isAuthenticated ? 'Welcome back' : 'Welcome',
)
router.get('/account', async (_request: unknown, visit: Visit<User, Response>) => {
  const refusal = await visit.admit()
  return refusal ? visit.send(refusal) : `Logged in as ${visit.user().email}`
})

// Its handlers see a request of its own, so each gets the visit as well.
export const app = {
  fetch: (request: Request): Promise<Response> => router.fetch(request, visitOf(request)),
}
// #endregion
