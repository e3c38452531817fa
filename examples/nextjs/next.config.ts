import { fileURLToPath } from 'node:url'

const source = (name: string, file = 'index'): string => `../../packages/${name}/src/${file}.ts`

const config = {
  cacheComponents: true,
  // The sources of the kit, as everywhere in this repository, in place of what was built.
  typescript: { ignoreBuildErrors: true },
  turbopack: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    resolveAlias: {
      '@latchkey/nextjs': source('nextjs'),
      '@latchkey/core': source('core'),
      '@latchkey/core/adapter': source('core', 'adapter'),
      '@latchkey/core/application': source('core', 'application'),
      '@latchkey/core/node': source('core', 'node'),
      '@latchkey/core/web': source('core', 'web'),
    },
  },
}

export default config
