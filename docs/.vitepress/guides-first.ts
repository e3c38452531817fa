/** Guides come before other pages that say the same. VitePress sends it to the browser as text. */
export const guidesFirst = (id: string): number => (id.startsWith('/guides/') ? 2 : 1)
