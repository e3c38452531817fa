import { card, html, page } from '@latchkey/example-shared'
import type { AuthOptions, RequestAuth, User } from '@latchkey/express'
import { clientSettings } from './clients.ts'
import type { Note } from './notes.ts'

const site = 'Notes'

/** The page for every visitor. */
export function homePage({ isAuthenticated, user }: RequestAuth): string {
  const open = '<p class="actions"><a class="button" href="/notes">Your notes</a></p>'
  const text = `<p>You and your agent share these notes: you on the page, the agent over the Model Context
    Protocol. Both log in at the same place.</p>`
  const body = (isAuthenticated ? card(user) : '') + text + open
  return page({ site, title: 'Notes for you and your agent', user, body })
}

/** The notes of a user, a form for one more, and how an agent connects. */
export function notesPage(
  user: User,
  notes: readonly Note[],
  { baseUrl, issuer }: AuthOptions,
): string {
  const items = notes.map(
    ({ text, by }) => `<li>${html(text)} <small class="soft">${whose(by)}</small></li>`,
  )
  const list = items.length > 0 ? `<ul>${items.join('')}</ul>` : '<p>There are no notes yet.</p>'
  const settings = Object.entries(clientSettings(`${baseUrl}/mcp`))
  const rows = settings.map(
    ([client, text]) => `<dt>${html(client)}</dt><dd><code>${html(text)}</code></dd>`,
  )
  return page({
    site,
    title: 'Your notes',
    user,
    body: `${card(user)}${list}
      <form method="post" action="/notes"><p><label for="text">A new note</label>
      <input id="text" name="text" maxlength="200" required autocomplete="off"></p>
      <div class="actions"><button>Add</button></div></form>
      <h2>Connect your agent</h2>
      <p class="soft">The text to paste for each client:</p><dl>${rows.join('')}</dl>
      <p>The agent asks you before it reads or adds notes. <a href="${html(issuer)}/account/access">See and withdraw its
      access</a> at any time.</p>`,
  })
}

/** The author of a note; an agent is named by the host of its metadata document, if it has one. */
function whose(by: string): string {
  return by === 'you' ? 'by you' : `by ${html(URL.parse(by)?.host ?? 'an agent')}`
}
