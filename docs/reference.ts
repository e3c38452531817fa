import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Application, type TypeDocOptions } from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'

/** Writes the API reference, `docs/reference/`, from the docstrings of what each package exports. */
const root = path.resolve(import.meta.dirname, '..')
const packages = path.join(root, 'packages')
const out = path.join(import.meta.dirname, 'reference')

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports?: Record<string, { readonly 'latchkey-source'?: string }>
}

/** The sources of what each package exports, from `packages/`, by the name that applications import. */
function publicSources(): Map<string, string> {
  const sources = new Map<string, string>()
  for (const file of globSync('*/package.json', { cwd: packages }).sort()) {
    const manifest = JSON.parse(readFileSync(path.join(packages, file), 'utf8')) as Manifest
    if (manifest.private) continue
    for (const [subpath, conditions] of Object.entries(manifest.exports ?? {})) {
      const source = conditions['latchkey-source']
      // Names for our own packages change with every release.
      if (!source || subpath === './internal') continue
      const folder = path.posix.dirname(file)
      sources.set(path.posix.join(manifest.name, subpath), path.posix.join(folder, source))
    }
  }
  return sources
}

const sources = publicSources()
/** How TypeDoc names a module: its path without the ending, a folder for its index. */
const names = new Map(
  [...sources].map(([name, file]) => [file.replace(/(\/index)?\.ts$/, ''), name]),
)
const options: TypeDocOptions & PluginOptions = {
  entryPoints: [...sources.values()].map((file) => path.join(packages, file)),
  outputs: [{ name: 'markdown', path: out }],
  plugin: ['typedoc-plugin-markdown'],
  tsconfig: path.join(root, 'tsconfig.json'),
  skipErrorChecking: true,
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  disableSources: true,
  readme: 'none',
  logLevel: 'Error',
  router: 'module',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  entryFileName: 'index',
  useCodeBlocks: true,
  expandObjects: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  enumMembersFormat: 'table',
}
const application = await Application.bootstrapWithPlugins(options)
const project = await application.convert()
if (!project) throw new Error('The sources do not compile, so there is no API reference.')
for (const module of project.children ?? []) module.name = names.get(module.name) ?? module.name
rmSync(out, { recursive: true, force: true })
await application.generateOutputs(project)
mendAnchors()
if (application.logger.hasErrors()) process.exitCode = 1

/** Links to a name that the generator counted twice lead to its one heading. */
function mendAnchors(): void {
  for (const file of globSync('@latchkey/**/*.md', { cwd: out })) {
    const page = path.join(out, file)
    const text = readFileSync(page, 'utf8')
    writeFileSync(page, text.replace(/(\]\([^)\s]*#[a-z]+)-1\)/g, '$1)'))
  }
}
