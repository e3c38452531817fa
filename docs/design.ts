import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { samples } from './design-samples.ts'

/** Writes the samples of the page "How pages look", each in light and in dark colors. */
const folder = path.join(import.meta.dirname, 'reference/design')
mkdirSync(folder, { recursive: true })
for (const [name, sampleIn] of Object.entries(samples))
  for (const scheme of ['light', 'dark'] as const)
    writeFileSync(path.join(folder, `${name}-${scheme}.html`), sampleIn(scheme))
