import { card, facts, html, page, sessionFacts, verdict } from '@latchkey/example-shared'
import { type AuthOptions, createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'
import type { ShopDatabase } from './database.ts'

const site = 'The shop'

/** A shop that has had customers, with passwords of its own, for years. */
export function createApp(auth: AuthOptions, shop: ShopDatabase): Express {
  const app = express()
  app.use(
    createAuthRouter({
      ...auth,
      hooks: {
        // An imported user is a customer already; a new user becomes one here. `sub` is the key:
        // an address can change hands, an id cannot.
        afterCallback({ user }) {
          const customer = shop.customerOf(String(user.sub), String(user.name ?? user.email))
          return { user: { ...user, customerId: customer.id } }
        },
      },
    }),
  )

  app.get('/', (req, res) => {
    const { isAuthenticated, user } = req.auth
    const who = isAuthenticated
      ? card(user)
      : '<p>Log in with the password you have always had.</p>'
    const link = '<p class="actions"><a class="button" href="/orders">Your orders</a></p>'
    res.send(page({ site, title: 'The shop', user, body: who + link }))
  })

  app.get('/orders', requireUser(), (req, res) => {
    const user = getUser(req)
    const { session } = req.auth
    const customer = shop.customerOf(user.sub, '')
    const orders = shop.ordersOf(customer).map((item) => `<li>${html(item)}</li>`)
    const list =
      orders.length > 0 ? `<ul>${orders.join('')}</ul>` : '<p>You have not ordered yet.</p>'
    const why = 'You are logged in, and a customer of the shop.'
    const row = facts('Your row in the shop', { id: customer.id, user_id: customer.userId })
    const body = card(user) + verdict('let in', why) + list + row + sessionFacts(session)
    res.send(page({ site, title: 'Your orders', user, body }))
  })
  return app
}
