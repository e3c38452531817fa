/** The look of the examples: light and dark, from a phone to a wide screen. */
export const style = `
  :root { color-scheme: light dark; --ink: light-dark(#1c2430, #e8ecf2); --soft: light-dark(#566172, #a3afbe);
    --paper: light-dark(#fff, #1b2129); --ground: light-dark(#f1f4f8, #11151a); --line: light-dark(#dde2e9, #323b47);
    --accent: light-dark(#2f5bd7, #8fb0ff); --on: light-dark(#fff, #10151c);
    --good: light-dark(#0e6b45, #6fdca6); --good-ground: light-dark(#e7f6ee, #12291f);
    --bad: light-dark(#a3261f, #ff9f97); --bad-ground: light-dark(#fdecea, #331816) }
  * { box-sizing: border-box } [hidden] { display: none !important }
  body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif }
  header, main { max-width: 38rem; margin: 0 auto; padding: 0 1.25rem }
  header { display: flex; align-items: center; gap: 1rem; padding-top: 1.25rem; padding-bottom: 1.25rem }
  header a:first-child { margin-right: auto; color: inherit; font-weight: 700; text-decoration: none }
  main { padding: clamp(1.25rem, 5vw, 2.25rem); background: var(--paper); border: 1px solid var(--line) }
  @media (min-width: 40rem) { header { padding-left: .25rem; padding-right: .25rem } main { border-radius: 1rem; margin-top: 1rem; margin-bottom: 3rem } }
  @media (max-width: 40rem) { main { border-width: 1px 0 0; min-height: calc(100vh - 5rem) } }
  h1 { margin: 0 0 1rem; font-size: 1.7rem; line-height: 1.2 } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
  a { color: var(--accent) } form { margin: 0 } code { font-size: .95em; overflow-wrap: anywhere }
  .button, button { display: inline-block; padding: .55rem 1.05rem; border: 1px solid var(--accent); border-radius: .6rem;
    background: var(--accent); color: var(--on); font: inherit; font-weight: 600; text-decoration: none; white-space: nowrap; cursor: pointer }
  .quiet, header button { background: transparent; color: var(--accent); border-color: var(--line) }
  .actions { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0 0 }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 3px }
  .card { display: flex; gap: 1rem; align-items: center; margin: 0 0 1.25rem; overflow-wrap: anywhere }
  .card small, .soft { color: var(--soft) } .card small { font-size: .95rem }
  .initials { display: grid; place-items: center; flex: none; width: 3.2rem; height: 3.2rem; border-radius: 50%;
    background: var(--accent); color: var(--on); font-weight: 700 }
  .verdict { margin: 1.25rem 0; padding: .75rem 1rem; border-radius: .6rem; border-left: 4px solid var(--good);
    background: var(--good-ground); color: var(--ink) } .verdict strong { color: var(--good) }
  .verdict.no { border-color: var(--bad); background: var(--bad-ground) } .verdict.no strong { color: var(--bad) }
  table { width: 100%; border-collapse: collapse; margin: 1.25rem 0; table-layout: fixed }
  caption { text-align: left; color: var(--soft); padding-bottom: .4rem }
  th, td { text-align: left; padding: .45rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; vertical-align: top }
  th[scope=row] { width: 40%; font-weight: 500; color: var(--soft); padding-right: 1rem }
  th[scope=col] { font-weight: 500; color: var(--soft); padding-right: 1rem }
  ul { padding-left: 1.2rem } li { margin: .3rem 0 }
  input { width: 100%; padding: .5rem .7rem; border: 1px solid var(--soft); border-radius: .5rem; background: var(--paper);
    color: inherit; font: inherit }`
