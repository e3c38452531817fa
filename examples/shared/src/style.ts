/** The look of the examples: light and dark, from a phone to a wide screen. */
export const style = `
  :root { color-scheme: light dark; --ink: light-dark(#171a26, #eef0f8); --soft: light-dark(#565d73, #aab1c8);
    --card: light-dark(#fff, #191c28); --page: light-dark(#f3f4f8, #0f111a); --edge: light-dark(#e1e4ee, #2a2f41);
    --accent: light-dark(#3b46c8, #aab4ff); --on: light-dark(#fff, #10142c);
    --good: light-dark(#14613a, #a3e5bf); --good-back: light-dark(#e8f6ee, #15301f);
    --bad: light-dark(#a3172b, #ffb3bd); --bad-back: light-dark(#fdeef0, #3a1a21) }
  * { box-sizing: border-box } [hidden] { display: none !important }
  body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif }
  header, main { max-width: 38rem; margin: 0 auto; padding: 0 1.25rem }
  header { display: flex; align-items: center; gap: 1rem; padding-top: 1.25rem; padding-bottom: 1.25rem }
  header a:first-child { margin-right: auto; color: inherit; font-weight: 700; text-decoration: none }
  main { padding: clamp(1.25rem, 5vw, 2.25rem); background: var(--card); border: 1px solid var(--edge) }
  @media (min-width: 40rem) { header { padding-left: .25rem; padding-right: .25rem } main { border-radius: 1rem; margin-top: 1rem; margin-bottom: 3rem } }
  @media (max-width: 40rem) { main { border-width: 1px 0 0; min-height: calc(100vh - 5rem) } }
  h1 { margin: 0 0 1rem; font-size: 1.7rem; line-height: 1.2 } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
  a { color: var(--accent) } form { margin: 0 } code { font-size: .95em; overflow-wrap: anywhere }
  .button, button { display: inline-block; padding: .55rem 1.05rem; border: 1px solid var(--accent); border-radius: .6rem;
    background: var(--accent); color: var(--on); font: inherit; font-weight: 600; text-decoration: none; white-space: nowrap; cursor: pointer }
  .quiet, header button { background: transparent; color: var(--accent); border-color: var(--edge) }
  .actions { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0 0 }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 3px }
  .card { display: flex; gap: 1rem; align-items: center; margin: 0 0 1.25rem; overflow-wrap: anywhere }
  .card small, .soft { color: var(--soft) } .card small { font-size: .95rem }
  .initials { display: grid; place-items: center; flex: none; width: 3.2rem; height: 3.2rem; border-radius: 50%;
    background: var(--accent); color: var(--on); font-weight: 700 }
  .verdict { margin: 1.25rem 0; padding: .75rem 1rem; border-radius: .6rem; border-left: 4px solid var(--good);
    background: var(--good-back); color: var(--ink) } .verdict strong { color: var(--good) }
  .verdict.no { border-color: var(--bad); background: var(--bad-back) } .verdict.no strong { color: var(--bad) }
  table { width: 100%; border-collapse: collapse; margin: 1.25rem 0; table-layout: fixed }
  caption { text-align: left; color: var(--soft); padding-bottom: .4rem }
  th, td { text-align: left; padding: .45rem 0; border-top: 1px solid var(--edge); overflow-wrap: anywhere; vertical-align: top }
  th[scope=row] { width: 40%; font-weight: 500; color: var(--soft); padding-right: 1rem }
  th[scope=col] { font-weight: 500; color: var(--soft); padding-right: 1rem }
  ul { padding-left: 1.2rem } li { margin: .3rem 0 }
  input { width: 100%; padding: .5rem .7rem; border: 1px solid var(--soft); border-radius: .5rem; background: var(--card);
    color: inherit; font: inherit }`
