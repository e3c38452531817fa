import { style } from './style.ts'

/** The facts about the logged-in user that an example shows. */
export interface ShownUser {
  readonly sub: string
  readonly name?: string
  readonly email?: string
}

/** The facts about the session that an example shows: `req.auth.session`. */
export interface ShownSession {
  readonly id: string
  readonly issuer: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly authTime: number | undefined
}

export interface PageOptions {
  /** The heading; text. */
  readonly title: string
  /** The name of the example, which leads home; text. */
  readonly site: string
  /** The logged-in user, if there is one: then there is a button to log out. */
  readonly user?: ShownUser | undefined
  /** HTML. */
  readonly body: string
}

/** A keyhole, in the page itself, so that browsers do not ask for `/favicon.ico`. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#3b46c8"/><path fill="#fff" d="M16 7a5 5 0 0 1 2.5 9.3l1.3 7.2a1 1 0 0 1-1 1.2h-5.6a1 1 0 0 1-1-1.2l1.3-7.2A5 5 0 0 1 16 7z"/></svg>',
)}`

/** A whole page. */
export function page({ title, site, user, body }: PageOptions): string {
  const logOut = user
    ? '<form method="post" action="/logout"><button>Log out</button></form>'
    : '<a class="button" href="/login">Log in</a>'
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${html(title)} · ${html(site)}</title><link rel="icon" href="${icon}"><style>${style}</style></head>
    <body><header><a href="/">${html(site)}</a>${logOut}</header>
    <main><h1>${html(title)}</h1>${body}</main></body></html>`
}

/** The user by name, with the initials where a picture would be. */
export function card(user: ShownUser): string {
  const name = user.name ?? user.email ?? user.sub
  return `<p class="card"><span class="initials" aria-hidden="true">${html(initialsOf(name))}</span>
    <span>Logged in as <strong>${html(name)}</strong><br><small>${html(user.email ?? '')}</small></span></p>`
}

/** The decision of a guard and its reason; HTML. */
export function verdict(decision: 'let in' | 'refused', why: string): string {
  const isYes = decision === 'let in'
  const text = isYes ? 'The guard let you in.' : 'The guard refused.'
  return `<p class="verdict${isYes ? '' : ' no'}"><strong>${text}</strong> ${why}</p>`
}

/** A table of names and values; text. */
export function facts(caption: string, rows: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(rows)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `<tr><th scope="row">${html(name)}</th><td>${html(value)}</td></tr>`)
  return `<table><caption>${html(caption)}</caption>${lines.join('')}</table>`
}

/** The facts about a session that a page may show. */
export function sessionFacts(session: ShownSession | undefined): string {
  if (!session) return ''
  return facts('The session', {
    'logged in': at(session.authTime),
    began: at(session.createdAt),
    'ends at the latest': at(session.expiresAt),
    issuer: session.issuer,
    'public id': session.id,
  })
}

/** A form with one button, for what changes something. */
export function button(action: string, label: string): string {
  return `<form method="post" action="${html(action)}"><button class="quiet">${html(label)}</button></form>`
}

/** Text as HTML. */
export function html(value: unknown): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return String(value).replace(/[&<>"]/g, (character) => entities[character] ?? '')
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).slice(0, 2)
  return words.map(([first = '']) => first.toUpperCase()).join('')
}

function at(seconds: number | undefined): string | undefined {
  if (seconds === undefined) return undefined
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
