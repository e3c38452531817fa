import type { User } from '@latchkey/express'

/** What everybody sees. */
export function homePage(user: User | undefined): string {
  return page(
    'Three routes',
    user
      ? `<h1>Welcome back</h1>${card(user)}
         <p><a class="button" href="/account">Your account</a></p>${signOut}`
      : `<h1>Three routes</h1>
         <p>A small application with a login, a callback and a logout route.</p>
         <p><a class="button" href="/login">Log in</a></p>
         <p>Or go straight to <a href="/account">your account</a>, which asks you to log in first.</p>`,
  )
}

/** What only signed-in users see. */
export function accountPage(user: User): string {
  const rows = Object.entries(user)
    .map(([claim, value]) => `<tr><th scope="row">${html(claim)}</th><td>${html(value)}</td></tr>`)
    .join('')
  return page(
    'Your account',
    `<h1>Your account</h1>${card(user)}
     <table><caption>What the application knows about you</caption>${rows}</table>
     <p><a href="/">Home</a></p>${signOut}`,
  )
}

const signOut = '<form method="post" action="/logout"><button>Log out</button></form>'

function card(user: User): string {
  const name = user.name ?? user.email ?? user.sub
  const initials = name
    .split(/\s+/)
    .map((word) => word[0])
    .slice(0, 2)
    .join('')
    .toUpperCase()
  return `<p class="card"><span class="initials" aria-hidden="true">${html(initials)}</span>
    <span>Signed in as <strong>${html(name)}</strong><br>${html(user.email ?? '')}</span></p>`
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title><style>${style}</style></head><body><main>${body}</main></body></html>`
}

function html(value: unknown): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return String(value).replace(/[&<>"]/g, (character) => entities[character] ?? '')
}

const style = `
  :root { color-scheme: light dark; --ink: light-dark(#1c2430, #e8ecf2); --soft: light-dark(#5b6675, #9aa6b5);
    --paper: light-dark(#fff, #1b2129); --ground: light-dark(#f3f5f8, #11151a);
    --line: light-dark(#dde2e9, #323b47); --accent: light-dark(#2f5bd7, #8fb0ff); --on: light-dark(#fff, #10151c) }
  body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif }
  main { max-width: 34rem; margin: 8vh auto; padding: 2rem; background: var(--paper);
    border: 1px solid var(--line); border-radius: 1rem }
  @media (max-width: 38rem) { main { margin: 0; min-height: 100vh; box-sizing: border-box; border: 0; border-radius: 0 } }
  h1 { margin-top: 0; line-height: 1.2 } a { color: var(--accent) }
  .button, button { display: inline-block; padding: .6rem 1.1rem; border: 1px solid var(--accent); border-radius: .6rem;
    background: var(--accent); color: var(--on); font: inherit; font-weight: 600; text-decoration: none; cursor: pointer }
  button { background: transparent; color: var(--accent) }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 3px }
  .card { display: flex; gap: 1rem; align-items: center; overflow-wrap: anywhere }
  .initials { display: grid; place-items: center; flex: none; width: 3.2rem; height: 3.2rem; border-radius: 50%;
    background: var(--accent); color: var(--on); font-weight: 700 }
  table { width: 100%; border-collapse: collapse; margin: 1.5rem 0; table-layout: fixed }
  caption { text-align: left; color: var(--soft); padding-bottom: .4rem }
  th, td { text-align: left; padding: .45rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; vertical-align: top }
  th { width: 38%; font-weight: 500; color: var(--soft); padding-right: 1rem }`
