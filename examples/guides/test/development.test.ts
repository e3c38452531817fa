import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createApp } from '../src/development.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'latchkey-development-'))
let server: Server
let url: string

beforeAll(async () => {
  server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://localhost:${(server.address() as AddressInfo).port}`
  vi.stubEnv('LATCHKEY_BASE_URL', url)
  const [, variable = '', command = ''] =
    /export (\w+)=\$\((.+)\)/.exec(script('development-key.sh')) ?? []
  vi.stubEnv(variable, execFileSync('sh', ['-c', command], { encoding: 'utf8' }).trim())
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  // Personas are looked for beside the program that runs, which is the test runner here.
  const program = process.argv[1] as string
  process.argv[1] = fileURLToPath(import.meta.url)
  server.on('request', createApp())
  process.argv[1] = program
})
afterAll(() => {
  vi.unstubAllEnvs()
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true })
})

test('a script logs Ada in with one command, and sees what admins see', async () => {
  expect(await run('personas.sh')).toBe('Hello Ada LovelaceFor admins')
})

test('a script can read the report of the flight recorder', async () => {
  expect(await run('recorder.sh')).toContain('Latchkey login recorder')
})

test('the package that the guide installs contains the personas', () => {
  expect(script('personas-install.sh')).toContain('@latchkey/testing')
  expect(import.meta.resolve('@latchkey/testing/personas')).toBeDefined()
})

function script(name: string): string {
  return readFileSync(new URL(`../shell/${name}`, import.meta.url), 'utf8')
}

/** Runs a script of the guide, at the port of today. */
async function run(name: string): Promise<string> {
  const lines = script(name).replaceAll('http://localhost:3000', url)
  const { stdout } = await promisify(execFile)('sh', ['-ec', lines], { cwd: folder })
  return stdout
}
