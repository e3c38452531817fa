import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createMarkdownRenderer, defineLoader } from 'vitepress'
import { codeThemes } from '../code-themes.ts'
import { root } from '../site-map.ts'

const source = path.join(root, 'examples/guides/src/ten-lines.ts')

/** The ten lines of the front page as HTML, from the file that a test runs. */
declare const data: string

export { data }

export default defineLoader({
  watch: [source],
  async load(): Promise<string> {
    const markdown = await createMarkdownRenderer(root, { theme: codeThemes })
    const text = `\`\`\`ts\n${readFileSync(source, 'utf8').trim()}\n\`\`\``
    return markdown.render(text, { path: source })
  },
})
