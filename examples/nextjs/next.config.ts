import { readFileSync } from 'node:fs'
import path from 'node:path'

const packages = path.join(import.meta.dirname, '../../packages')

// The sources of the kit, as everywhere in this repository, in place of what was built.
const sources = ['core', 'nextjs'].flatMap((folder) => {
  const { name, exports } = JSON.parse(
    readFileSync(path.join(packages, folder, 'package.json'), 'utf8'),
  )
  const modules = Object.entries<Record<string, string>>(exports)
  return modules.map(([subpath, { 'latchkey-source': file = subpath }]) => [
    path.posix.join(name, subpath),
    path.posix.join('../../packages', folder, file),
  ])
})

const config = {
  cacheComponents: true,
  typescript: { ignoreBuildErrors: true },
  turbopack: {
    root: path.dirname(packages),
    resolveAlias: Object.fromEntries(sources),
  },
}

export default config
