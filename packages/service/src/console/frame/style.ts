import { tokens } from '../../pages/index.ts'

/**
 * The look of the console: a list of pages on the left, one column of content, light or dark.
 *
 * | Class                                          | For                                                            |
 * | ---------------------------------------------- | -------------------------------------------------------------- |
 * | `card`, `card empty`                           | a box; an empty list, which names the next step                |
 * | `grid` of `card`s, `figure`                    | numbers side by side; the number                               |
 * | `card month`                                   | a bar for each day, with a table of them                        |
 * | `scroll` around a `table`                      | a list; on a phone each row is a card, its cells named by `th`  |
 * | `td.id`, `td.end`, `code`                      | an id; the cell of the buttons; a name of the API              |
 * | `badge`, with `good`, `bad` or `warn`          | a state                                                        |
 * | `note`, with `good`, `bad` or `warn`           | a sentence above the content; `trouble` puts a button beside it |
 * | `field`, `hint`, `wrong`, `check`, `row`       | a labelled input, its help and refusal; a box; inputs in a line |
 * | `filters`, `buttons`                           | a grid of inputs above a list; its buttons                     |
 * | `reach` with `some`                            | a choice of tenants; hidden while all are chosen               |
 * | `button` or `a.button`: `quiet`, `danger`, `small` | the one main action has none of them                       |
 * | `td.name`, `td.choose`                        | a name, whose words stay whole; the box that chooses a row      |
 * | `list` with `chosen`                           | a form around a table; the bar that counts, and stays in sight  |
 * | `tools`                                        | a line of buttons above a list                                 |
 * | `api-name`                                     | a name in the API, shown where `#api-names` is checked         |
 * | `contents`                                     | links to the sections of a long form                           |
 * | `previews` of `iframe`s                        | hosted pages side by side                                      |
 * | `actions`, `pager`, `soft`, `unseen`           | a line of buttons; below a list; less loud; for screen readers |
 *
 * The page shows its main action, `action` in its content, as a button beside the title.
 */
export const stylesheet = `
@view-transition { navigation: auto; }
${tokens}
:root { --shadow: 0 1px 2px rgb(20 22 40 / .06); }
@media (prefers-color-scheme: dark) { :root { --shadow: none; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body {
  margin: 0; min-height: 100dvh; display: grid; grid-template-columns: 14.5rem minmax(0, 1fr); background: var(--card);
  color: var(--ink); overflow-wrap: anywhere; -webkit-font-smoothing: antialiased;
  font: .875rem/1.55 var(--sans);
}
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: 1px; }
a:hover { color: var(--accent-strong); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .35rem; }
:target { scroll-margin-top: 1rem; }
.skip, .unseen { position: absolute; inset-inline-start: -99rem; }
.skip:focus { inset-inline-start: 1rem; top: .5rem; z-index: 2; background: var(--card); padding: .5rem .8rem; }
body.alone { display: block; padding: 0 1rem; }
body.alone main { max-width: 26rem; margin: 12vh auto 2rem; padding: 1.8rem; background: var(--card); border: 1px solid var(--edge); border-radius: .8rem; box-shadow: var(--shadow); }
body.alone .brand { padding: 0; margin-bottom: 1.4rem; }

.side { background: var(--page); border-right: 1px solid var(--edge); }
.side > nav { position: sticky; top: 0; display: flex; flex-direction: column; min-height: 100dvh; padding: 1rem .75rem; }
.bar { display: none; }
.brand { display: flex; align-items: center; gap: .55rem; padding: .2rem .45rem; font-weight: 620; letter-spacing: -.01em; color: var(--ink); text-decoration: none; }
.mark { display: grid; place-items: center; width: 1.45rem; height: 1.45rem; border-radius: .4rem; background: var(--accent); color: var(--on-accent); font-size: .8rem; }
.pages { list-style: none; margin: 1.1rem 0 1.5rem; padding: 0; display: grid; gap: .1rem; }
.pages a { display: flex; align-items: center; gap: .6rem; padding: .34rem .5rem; border-radius: .45rem; color: var(--soft); text-decoration: none; font-weight: 500; }
.pages a:hover, .pages a[aria-current] { background: var(--edge); color: var(--ink); }
.pages svg { width: 1rem; height: 1rem; flex: none; fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round; }
.who { margin: auto 0 0; padding: .9rem .5rem 0; border-top: 1px solid var(--edge); font-size: .8rem; color: var(--soft); }
.who p { margin: 0 0 .5rem; }
.who strong { display: block; color: var(--ink); font-weight: 560; }

main { padding: 1.5rem 2.2rem 4rem; max-width: 72rem; width: 100%; }
.crumbs { margin: 0 0 .35rem; color: var(--soft); font-size: .8rem; }
.crumbs a { color: inherit; text-decoration: none; }
.crumbs a:hover { color: var(--ink); text-decoration: underline; }
.crumbs .id { font-size: .75rem; margin-left: .6rem; }
.head { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; margin: 0 0 1.1rem; }
h1 { margin: 0; font-size: 1.3rem; line-height: 1.35; letter-spacing: -.017em; font-weight: 620; text-wrap: balance; }
body.alone h1 { margin: 0 0 .9rem; }
h2 { margin: 2.2rem 0 .7rem; font-size: .95rem; letter-spacing: -.006em; font-weight: 600; }
h2 .soft { font-weight: 440; }
p { margin: 0 0 .8rem; }
.card > p:last-child, .note > p:last-child { margin-bottom: 0; }
.soft { color: var(--soft); }
.tabs { margin: 0 0 1.4rem; border-bottom: 1px solid var(--edge); }
.tabs ul, .tabs-menu ul { margin: 0; padding: 0; list-style: none; }
.tabs ul { display: flex; flex-wrap: wrap; align-items: flex-end; gap: 0 1.05rem; }
.tabs > ul { gap: .3rem 1.9rem; }
.group > span { display: block; font-size: .7rem; color: var(--soft); }
.tabs a { display: block; padding: .25rem 0 .5rem; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent; font-weight: 500; white-space: nowrap; }
.tabs a:hover { color: var(--ink); }
.tabs a[aria-current] { color: var(--ink); border-color: var(--accent); }
.tabs a:focus-visible { outline-offset: -2px; }
.tabs-menu { display: none; }

.card { background: var(--card); border: 1px solid var(--edge); border-radius: .65rem; padding: 1.1rem 1.25rem; margin: 0 0 1rem; box-shadow: var(--shadow); }
.grid { display: grid; gap: .9rem; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); margin: 0 0 1.2rem; }
.grid .card { display: flex; flex-direction: column; justify-content: space-between; margin: 0; }
.grid .card p { margin: 0; font-size: .8rem; }
.month svg { display: block; width: 100%; height: 7rem; border-bottom: 1px solid var(--line); }
.month .most { margin: 0; color: var(--soft); font-size: .8rem; }
.month .done { fill: var(--accent); background: var(--accent); }
.month .failed { fill: var(--bad); background: var(--bad); }
.month b { display: inline-block; width: .7rem; height: .7rem; border-radius: .15rem; margin: 0 .2rem 0 .6rem; }
.month figcaption { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .3rem 1rem; margin: .4rem 0 .6rem; color: var(--soft); font-size: .8rem; }
@media (max-width: 40rem) { .month figcaption span:nth-child(2) { order: 1; flex-basis: 100%; } }
.figure { margin: .15rem 0 0; font-size: 1.5rem; line-height: 1.3; font-weight: 600; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.card.empty { padding: 2.2rem 1.5rem; text-align: center; color: var(--soft); background: none; border-style: dashed; box-shadow: none; }
.scroll { overflow-x: auto; border: 1px solid var(--edge); border-radius: .65rem; background: var(--card); box-shadow: var(--shadow); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .6rem .8rem; vertical-align: top; border-bottom: 1px solid var(--edge); }
tr:last-child td { border-bottom: 0; }
th { padding: .5rem .8rem; font-size: .76rem; font-weight: 520; color: var(--soft); white-space: nowrap; }
th:first-child, td:first-child { padding-left: 1.1rem; }
td { overflow-wrap: break-word; min-width: 4.5rem; font-variant-numeric: tabular-nums; }
td a { color: inherit; font-weight: 540; text-decoration: none; }
td a:hover { text-decoration: underline; }
td time, td.id, td .id, td code, td button { white-space: nowrap; }
td bdi, .dense :is(.id, code) { overflow-wrap: anywhere; }
td.name bdi { display: inline-block; max-width: 18rem; overflow-wrap: break-word; vertical-align: top; }
td.choose { min-width: 0; }
:is(td, th) > input[type="checkbox"] { display: block; width: 1rem; min-height: 1rem; height: 1rem; margin: .2rem 0 0; accent-color: var(--accent); }
:has(> .name) > td:has(> time) { width: 6.9rem; min-width: 6.9rem; }
:has(> .name) > td time { white-space: normal; }
td .copy.inline button { min-height: 1.5rem; padding: 0 .5rem; }
td .id:has(+ .copy:not([hidden])) { position: absolute; inset-inline-start: -99rem; }
.dense td :is(.id, code), .dense td.id { white-space: normal; }
.dense td.id { min-width: 7.8rem; }
td.id, td time, td .id { color: var(--soft); }
time .local { color: var(--soft); font-size: .92em; }
td time .local { display: block; }
.copy.inline { display: inline-flex; margin: 0 0 0 .4rem; }
td .copy.inline { margin: 0; }
.copy:not(.inline) { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .5rem 0 1rem; }
pre:has(+ .copy) { margin-bottom: 0; }
td a time { color: var(--ink); }
td.end { text-align: right; min-width: 0; }
tbody tr:hover { background: var(--plain-back); }
code, pre, .id { font: .77rem/1.7 var(--mono); }
pre { margin: 0; padding: .8rem .95rem; border-radius: .55rem; background: var(--page); border: 1px solid var(--edge); color: var(--ink); white-space: pre-wrap; }
pre + p { margin-top: 1rem; }
dl { display: grid; grid-template-columns: minmax(7rem, 12rem) minmax(0, 1fr); gap: .5rem 1.2rem; margin: 0; }
dl + p { margin-top: .9rem; }
dt { color: var(--soft); }
dd { margin: 0; }
.badge { display: inline-block; padding: .06rem .5rem; border-radius: 1rem; font-size: .75rem; font-weight: 540; background: var(--edge); color: var(--ink); white-space: nowrap; }
.badge.good { background: var(--good-back); color: var(--good); }
.badge.bad { background: var(--bad-back); color: var(--bad); }
.badge.warn { background: var(--warn-back); color: var(--warn); }
.badge:is(.good, .bad, .warn)::before { content: ""; display: inline-block; width: .4rem; height: .4rem; margin-right: .35rem; border-radius: 50%; background: currentColor; vertical-align: .08em; }
.hidden-character { font: .72rem var(--mono); border: 1px solid var(--warn); color: var(--warn); border-radius: .25rem; padding: 0 .15rem; }
.note { margin: 0 0 1.1rem; padding: .65rem .95rem; border-radius: .55rem; background: var(--edge); border: 1px solid color-mix(in srgb, currentColor 16%, transparent); }
.note a { color: inherit; font-weight: 560; }
.note.good { background: var(--good-back); color: var(--good); }
.note.bad { background: var(--bad-back); color: var(--bad); }
.note.warn { background: var(--warn-back); color: var(--warn); }
.trouble { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; justify-content: space-between; }
.trouble p { margin: 0; flex: 1 1 18rem; }
.trouble button { color: inherit; border-color: currentColor; background: none; }

form { margin: 0; }
.field { margin: 0 0 1rem; max-width: 32rem; }
.scroll + :is(.note, .actions, .soft) { margin-top: 1rem; }
.check .hint { margin: 0; }
.reach > .some { padding-inline-start: 1.55rem; }
.reach:has(> .check > [value="all"]:checked) > .some { display: none; }
.check label code { margin-left: .35rem; }
.choices { display: flex; flex-wrap: wrap; gap: .6rem; list-style: none; margin: 0 0 1rem; padding: 0; }
.card > details:first-child > summary { padding: 0; }
pre.code { margin: 0 0 1rem; }
ul.effects { margin: 0 0 1rem; padding-left: 1.2rem; }
.effects li { margin: 0 0 .35rem; }
p.hint + .actions { margin-top: .6rem; }
.field.wide { max-width: 46rem; }
label, legend { display: block; font-weight: 540; font-size: .82rem; margin: 0 0 .3rem; padding: 0; }
label code, legend code { margin-left: .35rem; font-weight: 400; font-size: .74rem; color: var(--soft); }
.hint, .wrong { margin: .3rem 0 0; font-size: .8rem; color: var(--soft); }
.wrong { color: var(--bad); }
ul.wrong { padding-left: 1.1rem; }
.theirs { margin: .5rem 0 0; padding: .5rem .7rem; border-left: 3px solid var(--warn); background: var(--warn-back); font-size: .82rem; }
.theirs p { margin: 0 0 .2rem; color: var(--warn); }
.theirs pre { padding: .4rem .6rem; }
.pair { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: .5rem; margin: 0 0 .5rem; max-width: 46rem; }
.pair textarea { min-height: 2.25rem; }
.metadata .hint { margin: 0 0 .6rem; }
.secret { user-select: all; margin: 0 0 .9rem; }
input, select, textarea {
  width: 100%; font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: .45rem;
  padding: .36rem .6rem; min-height: 2.15rem;
}
input[type="date"] { padding-top: .2rem; padding-bottom: .2rem; }
input::placeholder, textarea::placeholder { color: var(--soft); opacity: 1; }
input:focus-visible, select:focus-visible, textarea:focus-visible { outline-offset: 0; border-radius: .45rem; }
textarea { font: .79rem/1.65 var(--mono); min-height: 6rem; }
.scroll + form { margin-top: 1rem; }
textarea.words { font: inherit; min-height: 5rem; }
[aria-invalid="true"] { border-color: var(--bad); }
fieldset { border: 0; margin: 0 0 1rem; padding: 0; min-width: 0; }
.check { display: flex; gap: .55rem; align-items: flex-start; margin: 0 0 .55rem; }
.check input { width: 1rem; min-height: 1rem; height: 1rem; flex: none; margin: .15rem 0 0; accent-color: var(--accent); }
.check label { margin: 0; font-weight: 440; font-size: inherit; }
button, a.button {
  display: inline-flex; align-items: center; width: auto; font: inherit; font-size: .84rem; font-weight: 540; min-height: 2.15rem;
  padding: .3rem .8rem; border-radius: .45rem; border: 1px solid transparent; background: var(--accent); color: var(--on-accent);
  cursor: pointer; text-decoration: none; box-shadow: var(--shadow);
}
button:hover, a.button:hover { background: var(--accent-strong); color: var(--on-accent); }
button.quiet, a.quiet { background: var(--card); color: var(--ink); border-color: color-mix(in srgb, var(--line) 45%, var(--edge)); }
button.quiet:hover, a.quiet:hover { background: var(--edge); color: var(--ink); }
button.danger, a.danger { background: var(--card); color: var(--bad); border-color: color-mix(in srgb, var(--bad) 40%, var(--edge)); }
button.danger:hover, a.danger:hover { background: var(--bad-back); color: var(--bad); }
.small { min-height: 1.75rem; padding: .05rem .6rem; font-size: .79rem; }
.row { display: flex; flex-wrap: wrap; gap: .6rem; align-items: flex-end; margin: 0 0 1rem; }
.row .field { flex: 1 1 12rem; margin: 0; }
.filters { display: grid; align-items: end; gap: .8rem; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); margin: 0 0 1.2rem; }
.filters .field { margin: 0; }
.buttons { display: flex; flex-wrap: wrap; gap: .6rem; grid-column: 1 / -1; }
.attention { list-style: none; margin: 0 0 1.4rem; padding: 0; border: 1px solid var(--edge); border-radius: .7rem; background: var(--card); }
.attention li { display: flex; flex-wrap: wrap; gap: .35rem .8rem; align-items: baseline; padding: .65rem 1rem; border-bottom: 1px solid var(--edge); }
.attention li:last-child { border-bottom: 0; }
.attention li > span:nth-child(2) { flex: 1 1 14rem; }
progress { accent-color: var(--accent); width: 8rem; vertical-align: middle; }
.actions { display: flex; flex-wrap: wrap; gap: .6rem; margin: 0 0 1rem; }
main:has(#api-names:not(:checked)) .api-name { display: none; }
.api-names { color: var(--soft); font-size: .82rem; }
.tools { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 .8rem; }
.list { counter-reset: chosen; }
.list td > input:checked { counter-increment: chosen; }
.number::before { content: counter(chosen); }
.chosen {
  position: sticky; bottom: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin: .6rem 0 0;
  padding: .6rem 1.1rem; background: var(--card); border: 1px solid var(--edge); border-radius: .65rem; box-shadow: 0 -.2rem .8rem rgb(20 22 40 / .08);
}
.chosen > p { margin: 0; font-variant-numeric: tabular-nums; }
.chosen > .acts { margin-inline-start: auto; }
.acts { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.acts select { width: 13rem; }
html:has(.chosen) { scroll-padding-bottom: 5rem; }
form > fieldset + .chosen { justify-content: space-between; }
.contents ul { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; margin: 0 0 1rem; padding: 0; list-style: none; }
.note ul { margin: 0; padding-left: 1.1rem; }
.actions.below { margin: .8rem 0 0; }
summary { cursor: pointer; color: var(--soft); padding: .3rem 0; width: fit-content; }
summary:hover { color: var(--ink); }
details[open] > summary { margin-bottom: .5rem; }
td details .field { min-width: 14rem; }
details.command { margin: 3rem 0 0; border-top: 1px solid var(--edge); padding-top: .7rem; font-size: .82rem; }
.pager { margin: .9rem 0 0; }
.previews { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem; margin: 0 0 1rem; }
iframe { width: 100%; height: 46rem; border: 1px solid var(--edge); border-radius: .65rem; }

@media (min-width: 80rem) {
  .columns { display: grid; grid-template-columns: 21rem minmax(0, 1fr); gap: 1.5rem; align-items: start; }
  .columns > div > h2:first-child { margin-top: 0; }
  .columns dl { grid-template-columns: 6rem minmax(0, 1fr); }
}
@media (min-width: 64rem) {
  .settings { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: 1.5rem; padding: 1.6rem 0 .6rem; border-top: 1px solid var(--edge); }
  .settings:first-of-type { border: 0; padding-top: .4rem; }
  .settings h2 { margin: 1.1rem 0 0; }
}
@media (min-width: 80rem) and (max-width: 86rem) {
  .dense td.name bdi { max-width: 16.5rem; }
  td.name:has(~ .name) bdi { max-width: 14rem; }
  .name ~ td.name bdi { max-width: 17rem; }
  table:has(.name ~ .name) :is(td, th):not(:first-child) { padding-inline: .5rem; }
}
@media (max-width: 79.9375rem) {
  .scroll { overflow: visible; border: 0; background: none; box-shadow: none; }
  table, tbody, tr, td { display: block; }
  thead { position: absolute; inset-inline-start: -99rem; }
  tr { background: var(--card); border: 1px solid var(--edge); border-radius: .65rem; padding: .6rem .9rem; margin: 0 0 .6rem; box-shadow: var(--shadow); }
  td, td.end { display: flow-root; border: 0; padding: .2rem 0; padding-inline-start: 7.5rem; min-width: 0; text-align: start; }
  td:first-child { font-weight: 540; padding: 0 0 .25rem; }
  td::before { content: attr(data-label); float: inline-start; width: 7.1rem; margin-inline-start: -7.5rem; font: .8rem/1.7 var(--sans); color: var(--soft); }
  td:first-child::before, td.end::before { content: none; }
  td.choose { float: inline-start; padding: .1rem .8rem 0 0; }
  td.choose + td { padding: 0 0 .25rem; font-weight: 540; }
  td.choose + td::before { content: none; }
  td.end { padding: .4rem 0 .2rem; }
  td.end:not(:has(*)) { display: none; }
  td.id, td .id, td code, td time { white-space: normal; }
  :has(> .name) > td:has(> time) { width: auto; min-width: 0; }
  td.name bdi { display: inline; }
}
@media (max-width: 48rem) {
  body { display: block; }
  .side { border-right: 0; border-bottom: 1px solid var(--edge); }
  .side > nav { display: none; }
  .bar { display: block; position: relative; padding: .5rem 1rem; }
  .bar > .brand { position: absolute; top: .5rem; min-height: 2.75rem; padding: 0; }
  .bar > details > summary { display: flex; align-items: center; min-height: 2.75rem; margin: 0 0 0 auto; padding: 0 .4rem; font-weight: 540; list-style: none; color: var(--ink); }
  .bar > details > summary::-webkit-details-marker { display: none; }
  .bar > details > summary::after { content: ""; width: .45rem; height: .45rem; margin-left: .55rem; border: solid currentColor; border-width: 0 1.5px 1.5px 0; transform: translateY(-.12rem) rotate(45deg); }
  .bar > details[open] > summary::after { transform: translateY(.12rem) rotate(225deg); }
  .bar .brand + details .brand { display: none; }
  .pages { margin: .3rem 0 1rem; }
  .pages a { padding: .6rem .5rem; }
  .who { padding-bottom: .6rem; }
  td details .field { min-width: 0; }
  main { padding: 1.1rem 1rem 3rem; }
  .tabs { display: none; }
  .tabs-menu { display: block; margin: 0 0 1.1rem; border: 1px solid var(--edge); border-radius: .65rem; }
  .tabs-menu > summary { display: flex; flex-wrap: wrap; align-items: center; gap: 0 .6rem; width: auto; min-height: 2.75rem; padding: .3rem .9rem; color: var(--ink); font-weight: 540; list-style: none; }
  .tabs-menu > summary::-webkit-details-marker { display: none; }
  .tabs-menu > summary .soft { font-size: .8rem; font-weight: 440; }
  .tabs-menu > summary::after { content: ""; width: .45rem; height: .45rem; margin-inline-start: auto; border: solid currentColor; border-width: 0 1.5px 1.5px 0; transform: translateY(-.12rem) rotate(45deg); }
  .tabs-menu[open] > summary::after { transform: translateY(.12rem) rotate(225deg); }
  .tabs-menu > nav { padding: 0 .9rem .7rem; }
  .tabs-menu > nav > ul { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .8rem 1rem; }
  .tabs-menu a { display: flex; align-items: center; min-height: 2.75rem; color: var(--ink); text-decoration: none; font-weight: 500; }
  .tabs-menu a[aria-current] { color: var(--accent); font-weight: 620; }
  .contents a { display: flex; align-items: center; min-height: 2.75rem; }
  form:has(> fieldset > .settings) > .chosen > p { display: none; }
  .chosen { justify-content: space-between; padding: .5rem .8rem; }
  .chosen button { padding: .3rem .55rem; }
  .chosen > .acts { flex: 1 1 100%; margin: 0; }
  .list:not(:has(td > input:checked)) .acts { display: none; }
  .acts, .acts > :not(label) { flex: 1 1 auto; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dt { font-size: .8rem; }
  dd { margin: 0 0 .7rem; }
  input, select, button, a.button, .small, td .copy.inline button { min-height: 2.75rem; }
  input, select, textarea { font-size: 1rem; }
  .row .field:has(select) { flex-basis: 100%; }
  :is(td, th) > input[type="checkbox"], .check input { width: 1.3rem; min-height: 1.3rem; height: 1.3rem; margin: 0; }
  summary, .card > details:first-child > summary { padding: .8rem 0; }
}
@media (forced-colors: active) { button, a.button, .card, .note, .badge { border: 1px solid; } }
`
