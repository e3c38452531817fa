import { readFileSync } from 'node:fs'

const manifest = new URL('../package.json', import.meta.url)
const { version: installed, engines } = JSON.parse(readFileSync(manifest, 'utf8'))

/** The version of this package. */
export const version: string = installed

/** The oldest version of Node that can run this package, such as `22.19`. */
export const oldestNode: string = engines.node.replace('>=', '')
