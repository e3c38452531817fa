import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type ServedFunction, serveFunction } from './lambda.ts'
import { writeWorker } from './workerd.ts'

/** Where a runtime is to serve the application. */
export interface Place {
  /** The folder that npm has installed the runtime into. */
  readonly folder: string
  readonly port: number
  /** The settings of the application. */
  readonly variables: Readonly<Record<string, string>>
}

/** A runtime that serves the application of this folder. */
export interface Runtime {
  readonly name: string
  /** The npm package that brings it; without one, Node itself runs it. */
  readonly package?: string
  /** Whether the application has a WebSocket on it. */
  readonly hasSockets?: boolean
  version(folder: string): string | undefined
  serve(place: Place): Promise<ServedFunction>
}

const CONDITION = '--conditions=latchkey-source'
const served = (name: string): string => join(import.meta.dirname, `served-by-${name}.ts`)

/** The runtimes that guides and READMEs name. */
export const runtimes: readonly Runtime[] = [
  { ...ofCommand('bun', async () => [CONDITION, served('bun')]), hasSockets: true },
  {
    ...ofCommand('deno', async ({ port }) => [
      ...['serve', '-A', CONDITION, '--host=127.0.0.1', `--port=${port}`],
      served('deno'),
    ]),
    hasSockets: true,
  },
  ofCommand('workerd', async ({ folder, port, variables }) => [
    'serve',
    // A worker on a network of its own is in production.
    await writeWorker(folder, port, { NODE_ENV: 'production', ...variables }),
  ]),
  {
    name: 'AWS Lambda, its Runtime API on Node',
    version: () => process.versions.node,
    serve: ({ port, variables }) =>
      serveFunction(port, { ...process.env, NODE_ENV: 'production', ...variables }),
  },
]

/** A runtime whose npm package has a command of the same name. */
function ofCommand(name: string, args: (place: Place) => Promise<readonly string[]>): Runtime {
  const commandIn = (folder: string): string => join(folder, 'node_modules/.bin', name)
  return {
    name,
    package: name,
    version(folder) {
      const { stdout } = spawnSync(commandIn(folder), ['--version'], { encoding: 'utf8' })
      return /\d+([.-]\d+)+/.exec(stdout)?.[0]
    },
    async serve(place) {
      const child = spawn(commandIn(place.folder), await args(place), {
        env: { ...process.env, ...place.variables, PORT: String(place.port) },
        stdio: 'inherit',
      })
      let problem: string | undefined
      child.on('error', ({ message }) => {
        problem = message
      })
      child.on('exit', (code, signal) => {
        problem ??= `It ended with ${code ?? signal}.`
      })
      return { ended: () => problem, stop: () => void child.kill() }
    },
  }
}
