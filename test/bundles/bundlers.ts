import path from 'node:path'
import commonjs from '@rollup/plugin-commonjs'
import json from '@rollup/plugin-json'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { build } from 'esbuild'
import { type Plugin, rollup } from 'rollup'
import webpack, { type Configuration } from 'webpack'

/** The kind of modules that a bundle is. */
export type Format = 'cjs' | 'esm'

/** The files to make of a program, one of each format. */
export interface Wanted {
  readonly program: string
  readonly files: Readonly<Record<Format, string>>
  /** Packages that stay outside. */
  readonly external: readonly string[]
}

/** Makes one file of each format of a program and everything that it imports. */
type Bundle = (wanted: Wanted) => Promise<unknown>

/**
 * The banner of an ES module for packages of CommonJS, which require modules of Node or look at `require.cache`. It imports
 * nothing, as packages import a `createRequire` of their own.
 */
const REQUIRE =
  "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url)"

/** Both formats. */
export const FORMATS: readonly Format[] = ['cjs', 'esm']

const bannerOf = (format: Format): string => (format === 'esm' ? REQUIRE : '')

/** Every bundler, with the settings of its guide for programs of Node. */
export const bundlers: Readonly<Record<string, Bundle>> = {
  async esbuild({ program, files, external }) {
    for (const format of FORMATS) {
      await build({
        entryPoints: [program],
        banner: { js: bannerOf(format) },
        bundle: true,
        platform: 'node',
        logLevel: 'silent',
        ...{ outfile: files[format], format, external: [...external] },
      })
    }
  },
  async Rollup({ program, files, external }) {
    const plugins = [
      nodeResolve({ preferBuiltins: true, exportConditions: ['node'] }),
      callable(commonjs)({ ignoreDynamicRequires: true }),
      callable(json)(),
    ]
    const isExternal = (name: string) => isOf(external, name)
    const bundle = await rollup({ input: program, plugins, external: isExternal, onwarn() {} })
    for (const format of FORMATS) {
      const banner = bannerOf(format)
      await bundle.write({ file: files[format], format, inlineDynamicImports: true, banner })
    }
    await bundle.close()
  },
  async webpack({ program, files, external }) {
    for (const format of FORMATS) await runWebpack(program, files[format], format, external)
  },
}

/** Whether a module is of one of these packages. */
function isOf(packages: readonly string[], module: string): boolean {
  return packages.some((name) => module === name || module.startsWith(`${name}/`))
}

/** The plugin of a module whose declarations are those of CommonJS. */
const callable = (module: unknown) => module as (options?: object) => Plugin

function runWebpack(
  program: string,
  file: string,
  format: Format,
  external: readonly string[],
): Promise<void> {
  const isModule = format === 'esm'
  const configuration: Configuration = {
    entry: program,
    mode: 'production',
    target: 'node22',
    experiments: { outputModule: isModule },
    externals: ({ request = '' }) =>
      Promise.resolve(isOf(external, request) ? `node-commonjs ${request}` : undefined),
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
