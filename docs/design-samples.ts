import { page as kitPage } from '../packages/core/src/http/responses.ts'
import { stylesheet as consoleSheet } from '../packages/service/src/console/frame/style.ts'
import { contrastOf } from '../packages/service/src/pages/accents.ts'
import { styleOf } from '../packages/service/src/pages/style.ts'
import { tokens } from '../packages/service/src/pages/tokens.ts'

export type Scheme = 'light' | 'dark'

/** The parts that are shown, by the name of their file. Each is a whole page in a color scheme. */
export const samples: Readonly<Record<string, (scheme: Scheme) => string>> = {
  colors: (scheme) => inScheme(documentOf(tokens + swatchRules, colorsOf(scheme)), scheme),
  hosted: (scheme) => inScheme(documentOf(styleOf({}).css, hosted), scheme),
  console: (scheme) => inScheme(documentOf(consoleSheet, consoleBody), scheme),
  kit: (scheme) => inScheme(String(kit), scheme),
}

/** A page that is light or dark, also for a reader who prefers the other. */
const inScheme = (html: string, scheme: Scheme): string =>
  html
    .replace(/color-scheme: ?light dark/, `color-scheme: ${scheme}`)
    .replace(/\(prefers-color-scheme: ?dark\)/g, scheme === 'dark' ? ' all' : ' not all')

const documentOf = (css: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sample</title><style>${css}</style></head><body>${body}</body></html>\n`

/** A color, and the backgrounds on which its texts stand. */
const pairs: readonly (readonly [color: string, ...backgrounds: string[]])[] = [
  ['ink', 'page', 'card'],
  ['soft', 'page', 'card', 'plain-back'],
  ['accent', 'page', 'card'],
  ['on-accent', 'accent', 'accent-strong'],
  ['good', 'good-back', 'card'],
  ['bad', 'bad-back', 'card'],
  ['warn', 'warn-back', 'card'],
]

const swatchRules = `
body { margin: 0; padding: 1rem; background: var(--page); color: var(--ink); font: .9rem/1.5 var(--sans); }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(7.6rem, 1fr)); gap: .6rem; margin: 0 0 1.2rem; padding: 0; list-style: none; }
li { padding: .6rem .7rem; border: 1px solid var(--edge); border-radius: .6rem; background: var(--card); }
li.pair { padding: .8rem; }
i { display: block; height: 2.4rem; margin-bottom: .4rem; border: 1px solid var(--edge); border-radius: .4rem; }
code { font: .8rem var(--mono); }
small { display: block; font-size: .8rem; }
`

/** The tokens with their values, and each pair of text and background with its contrast. */
function colorsOf(scheme: Scheme): string {
  const values = colorTokens(scheme)
  const swatches = Object.entries(values).map(
    ([name, value]) =>
      `<li><i style="background: var(--${name})"></i><code>--${name}</code><small>${value}</small></li>`,
  )
  const texts = pairs.flatMap(([color, ...backgrounds]) =>
    backgrounds.map((background) => {
      const ratio = contrastOf(values[color] ?? '', values[background] ?? '').toFixed(1)
      return `<li class="pair" style="color: var(--${color}); background: var(--${background})">${color} on ${background}<small>${ratio} : 1</small></li>`
    }),
  )
  return `<ul>${swatches.join('')}</ul><ul>${texts.join('')}</ul>`
}

/** The colors of a scheme by their names, without the dashes. */
export function colorTokens(scheme: Scheme): Record<string, string> {
  const [light = '', dark = ''] = tokens.split('@media (prefers-color-scheme: dark)')
  const found = [...(scheme === 'light' ? light : dark).matchAll(/--([\w-]+): (#[\da-f]{6})/g)]
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, value]))
}

const hosted = `
<header class="brand"><span class="mark" aria-hidden="true">A</span><span>Acme Garden Supplies</span></header>
<main>
<h1>Log in</h1>
<p class="soft">A sentence that says what comes next.</p>
<form action="#">
<div class="field"><label for="email">Email address</label><input id="email" type="email" value="ada@example.com"></div>
<div class="field"><div class="row"><label for="password">Password</label><a href="#">Forgotten?</a></div>
<input id="password" type="password" value="12345678" aria-invalid="true" aria-describedby="wrong">
<p class="problem" id="wrong">The address or the password is not right.</p></div>
<div class="check"><input type="checkbox" id="keep" checked><label for="keep">Stay logged in <span class="hint">Not on a computer of others.</span></label></div>
<button type="button">The main action</button>
<button type="button" class="quiet">Another way</button>
</form>
<p class="or">or</p>
<form class="social" action="#"><button type="button" class="quiet"><span class="initial" aria-hidden="true">G</span>Continue with a provider</button></form>
<p class="below"><a href="#">Create an account</a></p>
</main>
<main>
<svg class="icon good" viewBox="0 0 24 24" aria-hidden="true"><path d="M5 12.5 10 17.5 19 7.5"/></svg>
<h1>How something went</h1>
<p>One sentence, and the next step.</p>
<p class="note plain">A note.</p><p class="note good">It is done.</p><p class="note bad">It was refused.</p>
<h2 class="part">A list <span class="badge">this device</span></h2>
<ul class="rows"><li><a href="#"><span class="label">Passkey</span><span class="hint">Last used today</span></a></li></ul>
<p class="who"><span>ada@example.com</span><a href="#">Not you?</a></p>
<ul class="codes"><li><code>4f9k-2mxq</code></li><li><code>7tbn-c8wd</code></li></ul>
<button type="button" class="danger">What cannot be undone</button>
</main>
<footer>Questions? <a href="#">help@example.com</a></footer>`

const rowOf = (name: string, state: string, tone = ''): string =>
  `<tr><td class="choose"><input type="checkbox" name="user" aria-label="${name}"></td><td class="name" data-label="Name"><a href="#"><bdi>${name}</bdi></a></td><td class="id" data-label="Id">usr_1k9…</td><td data-label="State"><span class="${`badge ${tone}`.trim()}">${state}</span></td><td class="end"><button type="button" class="quiet small">Open</button></td></tr>`

const bars = [4, 7, 5, 9, 6, 8, 3]
  .map(
    (count, day) =>
      `<rect class="done" x="${day * 10 + 1}" width="8" y="${100 - count * 10}" height="${count * 10}"/>`,
  )
  .join('')

const consoleBody = `
<header class="side"><div class="bar"><a class="brand" href="#"><span class="mark" aria-hidden="true">L</span>Latchkey</a></div>
<nav aria-label="Pages"><a class="brand" href="#"><span class="mark" aria-hidden="true">L</span>Latchkey</a>
<ul class="pages"><li><a href="#" aria-current="page">Tenants</a></li><li><a href="#">Operators</a></li><li><a href="#">Audit log</a></li></ul>
<div class="who"><p><strong>ada@example.com</strong>owner</p></div></nav></header>
<main>
<p class="crumbs"><a href="#">Tenants</a> / Acme</p>
<div class="head"><h1>Users</h1><a class="button" href="#">The main action</a></div>
<nav class="tabs" aria-label="Pages of the tenant"><ul><li class="group"><span id="g1">People</span><ul aria-labelledby="g1"><li><a href="#" aria-current="page">Users</a></li><li><a href="#">Jobs</a></li></ul></li><li class="group"><span id="g2">Access</span><ul aria-labelledby="g2"><li><a href="#">Applications</a></li></ul></li></ul></nav>
<p class="note">A sentence above the content.</p>
<p class="note good">Saved.</p>
<p class="note bad">It was refused.</p>
<div class="note warn trouble"><p>Something waits for you.</p><button type="button" class="small">Do it</button></div>
<div class="grid"><div class="card"><p>Logins today</p><div class="figure">12,345</div></div><div class="card"><p>Refused</p><div class="figure">67</div></div><div class="card"><p>Mails</p><div class="figure">890</div></div></div>
<figure class="card month"><p class="most">Most in a day: 9</p><svg viewBox="0 0 70 100" preserveAspectRatio="none" aria-hidden="true">${bars}</svg><figcaption><span>1 Nov</span><span><b class="done"></b>Logins <b class="failed"></b>Refused</span><span>7 Nov</span></figcaption></figure>
<form class="filters" action="#"><div class="field"><label for="search">Part of a name</label><input id="search" type="search" placeholder="ada"></div><div class="field"><label for="which">Which</label><select id="which"><option>All users</option></select></div><div class="buttons"><button type="button" class="quiet">Search</button></div></form>
<div class="tools"><a class="button quiet" href="#">Import…</a> <button type="button" class="quiet">Export</button></div>
<form class="list" action="#"><div class="scroll"><table><thead><tr><th><span class="unseen">Choose</span></th><th>Name</th><th>Id</th><th>State</th><th><span class="unseen">Change</span></th></tr></thead><tbody>
${rowOf('Ada Byron', 'enabled', 'good')}${rowOf('Grace Murray', 'not verified', 'warn')}${rowOf('Grace Hopper', 'disabled', 'bad')}${rowOf('Alan Turing', 'invited')}
</tbody></table></div><div class="chosen"><p><span class="number"></span> of 4 users chosen</p><span class="acts"><button type="button" class="quiet">The chosen ones…</button></span></div></form>
<p class="pager soft">1 to 4 of 4 · <a href="#">Next page</a></p>
<div class="card empty">Nothing yet. A sentence that names the next step.</div>
<nav class="contents" aria-label="Sections"><ul><li><a href="#">Names</a></li><li><a href="#">Login</a></li></ul></nav>
<p class="check api-names"><input type="checkbox" id="api-names" checked><label for="api-names">Show names of the API</label></p>
<div class="card">
<div class="field"><label for="name">Name <code class="api-name">company_name</code></label><input id="name" value="Acme"><p class="hint">A sentence that helps.</p></div>
<div class="field"><label for="url">Address</label><input id="url" value="http://" aria-invalid="true"><p class="wrong">An address begins with https://.</p></div>
<div class="check"><input type="checkbox" id="signups" checked><label for="signups">Visitors can sign up</label></div>
<div class="row"><div class="field"><label for="from">From</label><input id="from" type="date" value="2026-01-01"></div><div class="field"><label for="to">To</label><input id="to" type="date" value="2026-01-31"></div></div>
<fieldset class="reach"><legend>Tenants</legend><p class="check"><input type="radio" name="reach" id="some" value="some" checked><label for="some">Some</label></p><div class="some"><p class="check"><input type="checkbox" id="acme" checked><label for="acme">Acme</label></p></div></fieldset>
<p class="actions"><button type="button">Save</button> <button type="button" class="quiet">Cancel</button> <button type="button" class="danger">Delete…</button></p>
</div>
<div class="previews"><iframe style="height: 6rem" title="A hosted page" srcdoc="Two hosted pages stand side by side."></iframe><iframe style="height: 6rem" title="Another one" srcdoc="On a phone, one below the other."></iframe></div>
<details class="command" open><summary>The same on the command line</summary><pre>latchkey users list --tenant acme</pre></details>
</main>`

const kit = kitPage({
  title: 'The login could not be finished',
  icon: 'alert',
  body: '<p>A sentence that says why.</p><a class="button" href="#">Log in again</a><p class="back"><a href="#">Back to the application</a></p><p><small>For support: 7d1f…</small></p>',
}).body
