/** Guides and options come before other pages that say the same. VitePress sends it to the browser as text. */
export const guidesFirst = (id: string): number =>
  /^\/(guides|reference\/options)\b/.test(id) ? 2 : 1
