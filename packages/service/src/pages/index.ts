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

/** The headers of every hosted page. */
export const pageHeaders: Record<string, string> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Renders a page. */
export function renderPage(name: 'login', data: object): string {
  return eta.render(`@${name}`, data)
}
