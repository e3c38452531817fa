import { readFileSync } from 'node:fs'
import path from 'node:path'
import { defineLoader } from 'vitepress'
import { root } from '../site-map.ts'

const folder = path.join(root, 'docs/reference/design')
const read = (name: string) => readFileSync(path.join(folder, `${name}.html`), 'utf8')

/** The samples of the page "How pages look" as whole pages, by the name of the part. */
export type Samples = Record<string, { light: string; dark: string }>

declare const data: Samples

export { data }

export default defineLoader({
  watch: [path.join(folder, '*.html')],
  load: (): Samples =>
    Object.fromEntries(
      ['colors', 'hosted', 'console', 'kit'].map((name) => [
        name,
        { light: read(`${name}-light`), dark: read(`${name}-dark`) },
      ]),
    ),
})
