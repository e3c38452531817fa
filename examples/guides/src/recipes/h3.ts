import { H3 } from 'h3'
import { visitOf } from './with-login.ts'

// #region app
export const app = new H3()
  .get('/', ({ req }) => (visitOf(req).auth.isAuthenticated ? 'Welcome back' : 'Welcome'))
  .get('/account', async ({ req }) => {
    const visit = visitOf(req)
    const refusal = await visit.admit()
    return refusal ? visit.send(refusal) : `Logged in as ${visit.user().email}`
  })
// #endregion
