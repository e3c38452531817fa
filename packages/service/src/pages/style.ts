import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Accents, accentsOf } from './accents.ts'
import type { Branding } from './pages.ts'
import { tokens } from './tokens.ts'
import { fontPreload } from './typeface.ts'

/** A style sheet, and its SHA-256 hash in base64 for the content security policy of a page. */
export interface Style {
  css: string
  hash: string
}

/**
 * The cache of styles by color and scheme. Computing a style costs more than rendering its page.
 */
const kept = new LRUCache<string, Style>({ max: 1_000 })

/**
 * The style of hosted pages.
 *
 * @param branding - `color`: the tenant's color; without it, our own. `scheme`: the color scheme;
 *   without it, the visitor's preference.
 */
export function styleOf({ color = '', scheme }: Pick<Branding, 'color' | 'scheme'>): Style {
  const key = `${color} ${scheme}`
  const known = kept.get(key)
  if (known) return known
  const css = inScheme(stylesheet + (color && accentRules(color)), scheme)
  const style = { css, hash: hash('sha256', css, 'base64') }
  kept.set(key, style)
  return style
}

function inScheme(css: string, scheme: Branding['scheme']): string {
  if (!scheme) return css
  return css
    .replace('color-scheme: light dark', `color-scheme: ${scheme}`)
    .replaceAll('(prefers-color-scheme: dark)', scheme === 'dark' ? 'all' : 'not all')
}

function accentRules(color: string): string {
  const { light, dark } = accentsOf(color)
  return `:root { ${properties(light)} }
@media (prefers-color-scheme: dark) { :root { ${properties(dark)} } }
`
}

function properties({ accent, strong, onAccent }: Accents): string {
  return `--accent: ${accent}; --accent-strong: ${strong}; --on-accent: ${onAccent};`
}

/** The style sheet of hosted pages: one column, light or dark as the visitor prefers. */
const stylesheet = `
${tokens}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column;
  align-items: center; justify-content: center; gap: 1.25rem; padding: 1.5rem 1rem;
  background: var(--page); color: var(--ink); overflow-wrap: anywhere;
  font: 1rem/1.55 var(--sans);
}
.brand { display: flex; align-items: center; gap: .7rem; max-width: 26rem; font-weight: 650; font-size: 1.1rem; }
.brand img { display: block; max-width: 14rem; max-height: 3.5rem; }
.mark {
  display: grid; place-items: center; flex: none; width: 2.4rem; height: 2.4rem; border-radius: .75rem;
  background: var(--accent); color: var(--on-accent); font-size: 1.2rem;
}
main {
  width: 100%; max-width: 26rem; padding: 2.25rem 2rem; background: var(--card);
  border: 1px solid var(--edge); border-radius: 1.25rem; box-shadow: 0 12px 40px rgb(16 20 44 / .08);
}
main.wide { max-width: 48rem; }
.icon {
  width: 3rem; height: 3rem; padding: .5rem; margin-bottom: 1rem; border-radius: 50%; fill: none; stroke: currentColor;
  stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; background: var(--plain-back); color: var(--soft);
}
.icon.good { background: var(--good-back); color: var(--good); }
.icon.bad { background: var(--bad-back); color: var(--bad); }
h1 { margin: 0 0 .5rem; font-size: 1.55rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; hyphens: auto; }
h2 { margin: 0; font-size: 1.05rem; }
p { margin: 0 0 1rem; }
p.soft, footer, .hint { color: var(--soft); }
form { margin: 1.25rem 0 0; }
.field { margin-bottom: 1.1rem; }
.row { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 .75rem; }
label { display: block; margin-bottom: .35rem; font-weight: 600; font-size: .95rem; }
.hint, .problem { margin: .35rem 0 0; font-size: .875rem; }
.problem { color: var(--bad); font-weight: 500; }
label .hint { font-weight: 400; }
input {
  width: 100%; min-height: 3rem; padding: .6rem .85rem; font: inherit; color: var(--ink);
  background: var(--card); border: 1px solid var(--line); border-radius: .7rem;
}
input[aria-invalid="true"] { border: 2px solid var(--bad); }
button, a.button {
  display: block; width: 100%; min-height: 3rem; padding: .7rem 1rem; font: inherit; font-weight: 650;
  text-align: center; text-decoration: none; cursor: pointer; border: 1px solid transparent;
  border-radius: .7rem; background: var(--accent); color: var(--on-accent);
}
button:hover, a.button:hover { background: var(--accent-strong); }
button.quiet {
  margin-top: .75rem; background: transparent; color: var(--ink); border-color: var(--line);
}
button.quiet:hover { background: var(--page); }
.rows { margin: 1rem 0 0; padding: 0; list-style: none; border-top: 1px solid var(--edge); }
.rows a { display: block; padding: .8rem 2rem .8rem .25rem; position: relative; color: var(--ink); text-decoration: none; border-bottom: 1px solid var(--edge); }
.rows div { padding: .8rem .25rem; border-bottom: 1px solid var(--edge); }
.rows a::after {
  content: ""; position: absolute; inset-inline-end: .6rem; top: 50%; width: .5rem; height: .5rem; margin-top: -.3rem;
  border: solid var(--soft); border-width: 2px 2px 0 0; transform: rotate(45deg);
}
.rows a:hover { background: var(--plain-back); }
.rows .label, .rows .hint { display: block; }
.rows .label { font-weight: 600; }
.rows .hint { margin: 0; }
.badge {
  display: inline-block; padding: .1rem .55rem; border-radius: 1rem; background: var(--good-back); color: var(--good);
  font-size: .8rem; font-weight: 600; vertical-align: .1em;
}
h2.part { margin-top: 2rem; }
button.danger { background: var(--bad); color: var(--card); }
button.danger:hover { background: var(--bad); text-decoration: underline; }
.or { display: flex; align-items: center; gap: .75rem; margin: 1.25rem 0 0; color: var(--soft); }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--edge); }
.social button { display: flex; align-items: center; justify-content: center; gap: .6rem; }
.social .initial {
  display: grid; place-items: center; flex: none; width: 1.6rem; height: 1.6rem; border-radius: 50%;
  background: var(--plain-back); font-size: .9rem;
}
summary { margin-top: .75rem; color: var(--accent); cursor: pointer; }
details form { margin-top: .75rem; }
.check { display: flex; flex-wrap: wrap; gap: 0 .6rem; align-items: flex-start; margin-bottom: 1.1rem; }
.check input { flex: none; width: 1.35rem; min-height: 1.35rem; height: 1.35rem; margin: .1rem 0 0; padding: 0; accent-color: var(--accent); }
.check label { flex: 1; margin: 0; font-weight: 400; }
.check .problem { flex-basis: 100%; }
input.code { font-variant-numeric: tabular-nums; letter-spacing: .12em; }
.secret { position: relative; }
.secret input { padding-inline-end: 3.25rem; }
.secret:has(button:not([hidden])) ::-ms-reveal { display: none; }
button.show {
  position: absolute; inset-inline-end: .125rem; top: .125rem; width: 2.75rem; min-height: 2.75rem; padding: .65rem;
  background: transparent; color: var(--soft); border-radius: .6rem;
}
button.show:hover { background: transparent; color: var(--ink); }
button.show svg { display: block; width: 100%; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
button.show[aria-pressed="false"] .slash { display: none; }
.who {
  display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; margin: 1rem 0; padding: .55rem .95rem;
  border: 1px solid var(--edge); border-radius: .7rem;
}
.who span { flex: 1 1 12rem; }
.ways { margin: .5rem 0 0; padding: 0; list-style: none; text-align: center; line-height: 2; }
.qr { width: 13rem; max-width: 100%; margin: 1.25rem auto; border-radius: .7rem; overflow: hidden; border: 1px solid var(--edge); }
.qr svg { display: block; width: 100%; height: auto; }
code { font: .95rem/1.6 var(--mono); letter-spacing: .04em; }
.codes { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .25rem 1rem; padding-inline-start: 2rem; }
.hint + button { margin-top: .6rem; }
form > .note { margin: 0 0 1.1rem; }
form + form { margin-top: .25rem; }
a { color: var(--accent); text-underline-offset: .18em; }
a:hover { color: var(--accent-strong); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
input:focus-visible { outline-offset: -1px; border-color: transparent; }
input[aria-invalid="true"]:focus-visible { outline-color: var(--bad); }
.note { margin: 1rem 0 0; padding: .75rem .95rem; border-radius: .7rem; }
.note + .soft { margin-top: 1rem; }
.note.bad { background: var(--bad-back); color: var(--bad); }
.note.plain { background: var(--plain-back); }
.note.good { background: var(--good-back); color: var(--good); }
body.acting { padding-top: 0; justify-content: flex-start; }
form.acting {
  position: sticky; top: 0; z-index: 1; align-self: stretch; display: flex; flex-wrap: wrap; align-items: center;
  justify-content: center; gap: .4rem 1rem; margin: 0 -1rem 1rem; padding: .6rem 1rem; background: var(--bad-back); color: var(--bad);
  border-bottom: 2px solid currentColor; font-weight: 600;
}
form.acting p { margin: 0; }
form.acting button { width: auto; min-height: 2.75rem; margin: 0; padding: .4rem 1.1rem; background: var(--bad); color: var(--card); }
.below { margin: 1.35rem 0 0; text-align: center; }
.detail { font-size: .875rem; color: var(--soft); }
.detail pre { margin: .25rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
footer { font-size: .9rem; text-align: center; max-width: 26rem; }
article { padding: 1rem 0; border-top: 1px solid var(--edge); }
article pre { margin: .5rem 0 0; font: inherit; white-space: pre-wrap; }
@media (max-width: 30rem) {
  body { justify-content: flex-start; padding-top: 2rem; }
  main { padding: 1.6rem 1.25rem; }
}
@media (forced-colors: active) { button, a.button, main, .note { border: 1px solid; } }
`

/**
 * The headers of a hosted page.
 *
 * The policy has no `form-action` on purpose: browsers apply it to the redirects after a form, and
 * every login ends with a redirect to the application.
 *
 * @param image - The URL of an image on the page.
 * @param hasScript - Whether the page runs scripts of this service.
 */
export function pageHeaders(
  style: Style,
  image: string | undefined,
  hasScript: boolean,
): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${style.hash}'`,
    "font-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // Allows the icon and the tenant's image. A source of a policy has no query.
    ["img-src 'self'", ...(image && !image.startsWith('/') ? [image.split('?')[0]] : [])].join(' '),
    ...(hasScript ? ["script-src 'self'"] : []),
  ]
  return { ...headers, 'content-security-policy': policy.join('; ') }
}

const headers: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  vary: 'Accept-Language',
  link: fontPreload,
}
