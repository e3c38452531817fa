/** The look of the console: a list of pages on the left, one column of content, light or dark. */
export const stylesheet = `
@view-transition { navigation: auto; }
:root {
  color-scheme: light dark;
  --page: #fbfbfc; --side: #f4f4f6; --card: #ffffff; --ink: #1b1c22; --soft: #5f6472; --edge: #e4e5ea; --line: #8a8f9e;
  --accent: #4650c8; --accent-strong: #363fa8; --on-accent: #ffffff; --chosen: #e7e8f1;
  --bad: #a3172b; --bad-back: #fdeef0; --good: #14613a; --good-back: #e6f5ec; --warn: #7a4b00; --warn-back: #fdf2dc;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101116; --side: #15161c; --card: #181a21; --ink: #ebecf2; --soft: #a2a7b8; --edge: #282b36; --line: #6c7286;
    --accent: #a9b2ff; --accent-strong: #c5cbff; --on-accent: #12152c; --chosen: #252835;
    --bad: #ffb0ba; --bad-back: #38191f; --good: #a0e3bc; --good-back: #142e1e; --warn: #f5cd85; --warn-back: #33270f;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100dvh; display: grid; grid-template-columns: 14.5rem minmax(0, 1fr); background: var(--page);
  color: var(--ink); overflow-wrap: anywhere;
  font: .9rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
body.alone { display: block; }
body.alone main { max-width: 27rem; margin: 12vh auto 0; }
a { color: var(--accent); text-underline-offset: .2em; }
a:hover { color: var(--accent-strong); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .3rem; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; z-index: 2; background: var(--card); padding: .5rem .8rem; }
.side { background: var(--side); border-right: 1px solid var(--edge); padding: 1.1rem .75rem; }
.brand { display: flex; align-items: center; gap: .6rem; padding: 0 .5rem; font-weight: 650; color: var(--ink); text-decoration: none; }
.mark { display: grid; place-items: center; width: 1.6rem; height: 1.6rem; border-radius: .45rem; background: var(--accent); color: var(--on-accent); font-size: .85rem; }
.bar { display: none; }
.side ul { list-style: none; margin: 1.2rem 0 0; padding: 0; }
.side li a { display: block; padding: .38rem .55rem; border-radius: .45rem; color: var(--soft); text-decoration: none; font-weight: 500; }
.side li a:hover { background: var(--chosen); color: var(--ink); }
.side li a[aria-current] { background: var(--chosen); color: var(--ink); }
.who { margin: 1.5rem 0 0; padding: .9rem .55rem 0; border-top: 1px solid var(--edge); font-size: .8rem; color: var(--soft); }
.who p { margin: 0 0 .5rem; }
main { padding: 1.6rem 2rem 4rem; max-width: 68rem; width: 100%; }
.crumbs { margin: 0 0 .3rem; color: var(--soft); font-size: .82rem; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.3; letter-spacing: -.012em; font-weight: 640; }
h2 { margin: 2rem 0 .6rem; font-size: 1rem; font-weight: 620; }
p { margin: 0 0 .8rem; }
.soft { color: var(--soft); }
.tabs ul { display: flex; flex-wrap: wrap; gap: .15rem; margin: -.3rem 0 1.4rem; border-bottom: 1px solid var(--edge); padding: 0; list-style: none; }
.tabs a { display: block; padding: .45rem .7rem; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent; margin-bottom: -1px; font-weight: 500; }
.tabs a:hover { color: var(--ink); }
.tabs a[aria-current] { color: var(--ink); border-color: var(--accent); }
.card { background: var(--card); border: 1px solid var(--edge); border-radius: .7rem; padding: 1.1rem 1.2rem; margin: 0 0 1rem; }
.grid { display: grid; gap: .9rem; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); margin: 0 0 1.2rem; }
.grid .card { margin: 0; }
.figure { font-size: 1.55rem; font-weight: 640; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; border: 1px solid var(--edge); border-radius: .7rem; background: var(--card); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .55rem .9rem; vertical-align: top; border-bottom: 1px solid var(--edge); }
tr:last-child td { border-bottom: 0; }
th { font-size: .78rem; font-weight: 560; color: var(--soft); white-space: nowrap; }
td { overflow-wrap: break-word; min-width: 6.5rem; }
td time, td.id, td code, td button { white-space: nowrap; }
tbody tr:hover { background: var(--side); }
.empty { padding: 1.6rem; text-align: center; color: var(--soft); }
code, pre, .id { font: .82rem/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { margin: 0; padding: .8rem .95rem; border-radius: .6rem; background: var(--side); border: 1px solid var(--edge); white-space: pre-wrap; }
dl { display: grid; grid-template-columns: minmax(7rem, 12rem) minmax(0, 1fr); gap: .45rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; }
.badge { display: inline-block; padding: .05rem .5rem; border-radius: 1rem; font-size: .76rem; font-weight: 560; background: var(--chosen); color: var(--ink); white-space: nowrap; }
.badge.good { background: var(--good-back); color: var(--good); }
.badge.bad { background: var(--bad-back); color: var(--bad); }
.badge.warn { background: var(--warn-back); color: var(--warn); }
.hidden-character { font: .72rem ui-monospace, monospace; border: 1px solid var(--warn); color: var(--warn); border-radius: .25rem; padding: 0 .15rem; }
.note { margin: 0 0 1.1rem; padding: .65rem .9rem; border-radius: .6rem; background: var(--chosen); }
.note.good { background: var(--good-back); color: var(--good); }
.note.bad { background: var(--bad-back); color: var(--bad); }
.note.warn { background: var(--warn-back); color: var(--warn); }
form { margin: 0; }
.field { margin: 0 0 1rem; max-width: 32rem; }
label, legend { display: block; font-weight: 560; margin: 0 0 .25rem; padding: 0; }
.hint { margin: .25rem 0 0; font-size: .82rem; color: var(--soft); }
.scroll + .note, .scroll + .actions { margin-top: 1rem; }
.check .hint { margin: 0; }
.check label code { margin-left: .35rem; }
.choices { display: flex; flex-wrap: wrap; gap: .6rem; list-style: none; margin: 0 0 1rem; padding: 0; }
.card > details:first-child > summary { padding: 0; }
pre.code { margin: 0 0 1rem; }
p.hint + .actions { margin-top: .6rem; }
.field.wide { max-width: 46rem; }
label code, legend code { margin-left: .35rem; font-weight: 400; font-size: .76rem; color: var(--soft); }
ul.wrong { padding-left: 1.1rem; }
.theirs { margin: .5rem 0 0; padding: .5rem .7rem; border-left: 3px solid var(--warn); background: var(--warn-back); font-size: .82rem; }
.theirs p { margin: 0 0 .2rem; color: var(--warn); }
.theirs pre { padding: .4rem .6rem; }
.pair { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: .5rem; margin: 0 0 .5rem; max-width: 46rem; }
.pair textarea { min-height: 2.25rem; }
.metadata .hint { margin: 0 0 .6rem; }
.secret { user-select: all; margin: 0 0 .9rem; }
.wrong { margin: .25rem 0 0; font-size: .82rem; color: var(--bad); }
input, select, textarea {
  width: 100%; font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: .45rem;
  padding: .42rem .6rem; min-height: 2.25rem;
}
textarea { font: .82rem/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; min-height: 6rem; }
[aria-invalid="true"] { border-color: var(--bad); }
fieldset { border: 0; margin: 0 0 1rem; padding: 0; }
.check { display: flex; gap: .55rem; align-items: flex-start; margin: 0 0 .55rem; }
.check input { width: 1.05rem; min-height: 1.05rem; height: 1.05rem; flex: none; margin: .2rem 0 0; accent-color: var(--accent); }
.check label { margin: 0; font-weight: 440; }
button, a.button {
  display: inline-block; width: auto; font: inherit; font-weight: 560; min-height: 2.25rem; padding: .42rem .85rem; border-radius: .45rem;
  border: 1px solid transparent; background: var(--accent); color: var(--on-accent); cursor: pointer; text-decoration: none;
}
button:hover, a.button:hover { background: var(--accent-strong); color: var(--on-accent); }
button.quiet, a.quiet { background: transparent; color: var(--ink); border-color: var(--line); }
button.quiet:hover, a.quiet:hover { background: var(--chosen); color: var(--ink); }
button.danger, a.danger { background: transparent; color: var(--bad); border-color: var(--bad); }
button.danger:hover, a.danger:hover { background: var(--bad-back); color: var(--bad); }
.small { min-height: 1.9rem; padding: .15rem .65rem; font-size: .82rem; }
td.end { text-align: right; min-width: 0; }
.unseen { position: absolute; left: -99rem; }
.trouble { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; justify-content: space-between; }
.trouble p { margin: 0; flex: 1 1 18rem; }
.trouble button { color: inherit; border-color: currentColor; }
.actions.below { margin: .8rem 0 0; }
.row { display: flex; flex-wrap: wrap; gap: .6rem; align-items: flex-end; margin: 0 0 1rem; }
.row .field { flex: 1 1 14rem; margin: 0; }
.filters { display: grid; gap: .8rem; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); margin: 0 0 1.2rem; }
.filters .field { margin: 0; }
.buttons { display: flex; flex-wrap: wrap; gap: .6rem; grid-column: 1 / -1; }
.attention { list-style: none; margin: 0 0 1.4rem; padding: 0; border: 1px solid var(--edge); border-radius: .7rem; background: var(--card); }
.attention li { display: flex; flex-wrap: wrap; gap: .35rem .8rem; align-items: baseline; padding: .65rem 1rem; border-bottom: 1px solid var(--edge); }
.attention li:last-child { border-bottom: 0; }
.attention li > span:nth-child(2) { flex: 1 1 14rem; }
progress { accent-color: var(--accent); width: 8rem; vertical-align: middle; }
.actions { display: flex; flex-wrap: wrap; gap: .6rem; margin: 0 0 1rem; }
summary { cursor: pointer; color: var(--soft); padding: .3rem 0; }
details.command { margin: 2.5rem 0 0; border-top: 1px solid var(--edge); padding-top: .7rem; }
.pager { margin: .9rem 0 0; }
@media (min-width: 64rem) {
  .settings { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: 1.5rem; padding: 1.6rem 0 .6rem; border-top: 1px solid var(--edge); }
  .settings:first-of-type { border: 0; padding-top: .4rem; }
  .settings h2 { margin: 1.1rem 0 0; }
}
@media (max-width: 48rem) {
  body { display: block; }
  .side { border-right: 0; border-bottom: 1px solid var(--edge); padding: .7rem 1rem; }
  .bar { display: flex; justify-content: space-between; align-items: center; gap: 1rem; }
  .bar a { padding: .35rem 0; }
  .side > .brand { display: none; }
  .side nav { display: none; }
  .side nav:target { display: block; }
  .side li a { padding: .6rem .55rem; }
  .tabs ul { gap: .4rem; border: 0; }
  .tabs a { border: 1px solid var(--edge); border-radius: 1.2rem; padding: .55rem .8rem; margin: 0; }
  .tabs a[aria-current] { background: var(--chosen); }
  main { padding: 1.1rem 1rem 3rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin: 0 0 .6rem; }
  input, select, button, a.button { min-height: 2.75rem; }
  .check input { min-height: 1.2rem; }
}
@media (forced-colors: active) { button, a.button, .card, .note, .badge { border: 1px solid; } }
`
