import { button, card, facts, page, sessionFacts, verdict } from '@latchkey/example-shared'
import type { RequestAuth, SessionInfo, User } from '@latchkey/express'
import type { Companies, Company } from './app.ts'

const site = 'Several tenants'

export function homePage(companies: Companies, current: Company, auth: RequestAuth): string {
  const { isAuthenticated, user } = auth
  const who = isAuthenticated
    ? `${card(user)}<p class="soft">At ${current.name}.</p>`
    : `<p>Choose where you work. Each company has its own users, and its own page to log in.</p>`
  const buttons = Object.entries(companies)
    .map(([key, { name }]) => button(`/company/${key}`, name))
    .join('')
  return page({
    site,
    title: 'Where do you work?',
    user,
    body: `${who}<div class="actions">${buttons}</div>`,
  })
}

export function companyPage(
  { name, issuer }: Company,
  user: User,
  session: SessionInfo | undefined,
): string {
  const why = `Your session is one of ${name}; at another company it counts for nothing.`
  return page({
    site,
    title: name,
    user,
    body: `${card(user)}${verdict('let in', why)}
      ${facts('The company', { name, 'logs in at': issuer })}${sessionFacts(session)}
      <p class="actions"><a class="button quiet" href="/">Another company</a></p>`,
  })
}
