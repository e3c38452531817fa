import {
  card,
  facts,
  page,
  type ShownSession,
  type ShownUser,
  sessionFacts,
  verdict,
} from './page.ts'

/** The page for every visitor. */
export function homePage(site: string, user: ShownUser | undefined): string {
  const link = '<p class="actions"><a class="button" href="/account">Your account</a></p>'
  if (user) return page({ site, title: 'Welcome back', user, body: card(user) + link })
  const body = `<p>Go straight to <a href="/account">your account</a>, and you are asked to log in first.</p>`
  return page({ site, title: site, body })
}

/** The page for logged-in users. */
export function accountPage(
  site: string,
  user: ShownUser,
  session: ShownSession | undefined,
): string {
  return page({
    site,
    title: 'Your account',
    user,
    body: `${card(user)}
      ${verdict('let in', '<code>requireUser()</code> asks for a logged-in user.')}
      ${facts('What the application knows about you', { ...user })}
      ${sessionFacts(session)}`,
  })
}
