import { card, facts, page, sessionFacts, verdict } from '@latchkey/example-shared'
import type { RequestAuth, SessionInfo, User } from '@latchkey/express'

const site = 'Three routes'

const recorder =
  '<p>How did a login go? In development, the <a href="/__latchkey">login recorder</a> shows each step.</p>'

/** The page for every visitor. */
export function homePage({ isAuthenticated, user }: RequestAuth): string {
  if (isAuthenticated) {
    const actions = '<p class="actions"><a class="button" href="/account">Your account</a></p>'
    return page({ site, title: 'Welcome back', user, body: card(user) + actions + recorder })
  }
  return page({
    site,
    title: 'Three routes',
    body: `<p>A small application with a login, a callback and a logout route.</p>
      <p>Go straight to <a href="/account">your account</a>, and you are asked to log in first.</p>${recorder}`,
  })
}

/** The page for logged-in users. */
export function accountPage(user: User, session: SessionInfo | undefined): string {
  return page({
    site,
    title: 'Your account',
    user,
    body: `${card(user)}
      ${verdict('let in', '<code>requireUser()</code> lets logged-in users in.')}
      ${facts('What the application knows about you', user)}
      ${sessionFacts(session)}`,
  })
}
