import path from 'node:path'

/** One folder that runs without `node_modules` elsewhere. */
export default {
  output: 'standalone',
  outputFileTracingRoot: path.resolve('..'),
  turbopack: { root: path.resolve('..') },
}
