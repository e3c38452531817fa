import { Elysia } from 'elysia'
import { visitOf } from './with-login.ts'

// #region app
export const app = new Elysia()
  .get('/', ({ request }) => (visitOf(request).auth.isAuthenticated ? 'Welcome back' : 'Welcome'))
  .get('/account', async ({ request }) => {
    const visit = visitOf(request)
    const refusal = await visit.admit()
    return refusal ? visit.send(refusal) : `Logged in as ${visit.user().email}`
  })
// #endregion
