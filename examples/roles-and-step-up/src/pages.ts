import { card, facts, page, sessionFacts, verdict } from '@latchkey/example-shared'
import type { RequestAuth, SessionInfo, User } from '@latchkey/express'

const site = 'Roles and step-up'

const links = `<ul>
  <li><a href="/publish">Publish</a>, for editors</li>
  <li><a href="/review">Review</a>, for authors who work here</li>
  <li><a href="/delete">Delete everything</a>, after re-authentication</li>
  <li><a href="/access">What you may do</a></li></ul>`

export function homePage({ isAuthenticated, user }: RequestAuth): string {
  const who = isAuthenticated ? card(user) : '<p>You aren’t logged in.</p>'
  return page({ site, title: 'The editorial office', user, body: who + links })
}

export function publishPage(user: User): string {
  const why = `One of the roles <code>editor</code> and <code>publisher</code> is asked for, and
    you are ${rolesText(user)}.`
  return page({ site, title: 'Publish', user, body: card(user) + verdict('let in', why) + links })
}

export function reviewPage(user: User): string {
  const why = 'You are an author, and your address is one of <code>@example.com</code>.'
  return page({ site, title: 'Review', user, body: card(user) + verdict('let in', why) + links })
}

/** For logged-in users who may not see the page. */
export function refusedPage(): string {
  const body = verdict('refused', 'Your roles are not among those that this page asks for.') + links
  return page({ site, title: 'Not for you', user: { sub: '' }, body })
}

export function deletePage(user: User, session: SessionInfo | undefined): string {
  const why =
    'Your last login is less than a minute old. Reload this page later, and you are asked again.'
  const body = card(user) + verdict('let in', why) + sessionFacts(session) + links
  return page({ site, title: 'Delete everything', user, body })
}

export function accessPage(user: User, session: SessionInfo | undefined): string {
  const roles = facts('Your roles in this application', { roles: rolesText(user) })
  const body = card(user) + verdict('let in', 'Every logged-in user may see this.') + roles
  return page({ site, title: 'What you may do', user, body: body + sessionFacts(session) + links })
}

function rolesText({ roles }: User): string {
  return Array.isArray(roles) && roles.length > 0 ? roles.join(' and ') : 'without a role'
}
