import { Eta } from 'eta'

const eta = new Eta({ autoEscape: true })

eta.loadTemplate(
  '@login',
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Log in</title></head>
<body><main>
<h1>Log in<% if (it.companyName) { %> to <%= it.companyName %><% } %></h1>
<% if (it.failed) { %><p role="alert">The email address or the password is wrong.</p><% } %>
<form method="post">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<label>Email address <input type="email" name="email" value="<%= it.email %>" autocomplete="username" required></label>
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>
<button>Log in</button>
</form>
</main></body>
</html>
`,
)

eta.loadTemplate(
  '@confirmLogout',
  `<!doctype html><html lang="en"><title>Log out</title><main><h1>Log out?</h1>
<form method="post" action="<%= it.action %>"><input type="hidden" name="xsrf" value="<%= it.xsrf %>">
<button name="logout" value="yes">Log out</button></form></main></html>`,
)

eta.loadTemplate(
  '@loggedOut',
  `<!doctype html><html lang="en"><title>Logged out</title><main><h1>You are logged out</h1></main></html>`,
)

eta.loadTemplate(
  '@error',
  `<!doctype html><html lang="en"><title>Error</title><main><h1>This did not work</h1>
<p><%= it.description %> (<%= it.error %>)</p></main></html>`,
)

/** A page by its template. */
export type PageName = 'login' | 'confirmLogout' | 'loggedOut' | 'error'

/** The headers of every hosted page. */
export const pageHeaders: Record<string, string> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Renders a page. */
export function renderPage(name: PageName, data: object): string {
  return eta.render(`@${name}`, data)
}
