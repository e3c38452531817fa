import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

// Plants a defect while a source is loaded; the file on the disk stays as it is.
const [file = '', find = '', replacement = ''] = JSON.parse(process.env.LATCHKEY_MUTANT ?? '[]')

registerHooks({
  load(url, context, next) {
    if (!file || !url.endsWith(file)) return next(url, context)
    const source = readFileSync(fileURLToPath(url), 'utf8')
    // The runner tells a defect that could not be planted by this code from one that was noticed.
    if (source.split(find).length !== 2) process.exit(42)
    return { ...next(url, context), source: source.replace(find, () => replacement) }
  },
})
