import path from 'node:path'
import commonjs from '@rollup/plugin-commonjs'
import json from '@rollup/plugin-json'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { build } from 'esbuild'
import { type Plugin, rollup } from 'rollup'
import webpack, { type Configuration } from 'webpack'

/** The kind of modules that a bundle is. */
export type Format = 'cjs' | 'esm'

/** Makes one file of a program and everything that it imports. */
type Bundle = (program: string, file: string, format: Format) => Promise<unknown>

/** The banner of an ES module for packages of CommonJS, which require modules of Node or look at `require.cache`. */
const REQUIRE =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"

const bannerOf = (format: Format): string => (format === 'esm' ? REQUIRE : '')

/** Every bundler, with the settings of its guide for programs of Node. */
export const bundlers: Readonly<Record<string, Bundle>> = {
  esbuild: (program, outfile, format) =>
    build({
      entryPoints: [program],
      banner: { js: bannerOf(format) },
      bundle: true,
      platform: 'node',
      logLevel: 'silent',
      ...{ outfile, format },
    }),
  async Rollup(input, file, format) {
    const plugins = [
      nodeResolve({ preferBuiltins: true, exportConditions: ['node'] }),
      callable(commonjs)({ ignoreDynamicRequires: true }),
      callable(json)(),
    ]
    const bundle = await rollup({ input, plugins, onwarn() {} })
    await bundle.write({ file, format, inlineDynamicImports: true, banner: bannerOf(format) })
    await bundle.close()
  },
  webpack: (entry, file, format) => runWebpack(entry, file, format),
}

/** The plugin of a module whose declarations are those of CommonJS. */
const callable = (module: unknown) => module as (options?: object) => Plugin

function runWebpack(entry: string, file: string, format: Format): Promise<void> {
  const isModule = format === 'esm'
  const configuration: Configuration = {
    entry,
    mode: 'production',
    target: 'node22',
    experiments: { outputModule: isModule },
    module: { parser: { javascript: { dynamicImportMode: 'eager' } } },
    optimization: { minimize: false },
    output: {
      path: path.dirname(file),
      filename: path.basename(file),
      ...(isModule && { module: true, chunkFormat: 'module' as const }),
    },
  }
  return new Promise((resolve, reject) => {
    webpack(configuration, (error, stats) => {
      if (error) reject(error)
      else if (stats?.hasErrors()) reject(new Error(stats.toString('errors-only')))
      else resolve()
    })
  })
}
