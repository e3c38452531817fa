import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { commandEnv } from '../../../../test/support/command-env.ts'
import { main, run, start, temporaryFolder } from './support.ts'

test.each([
  ['SIGTERM', 'SIGINT', 130],
  ['SIGTERM', 'SIGTERM', 143],
] as const)(
  'while the service closes after %s, %s ends it at once',
  async (first, second, code) => {
    using folder = temporaryFolder()
    const data = ['--data', folder.path]
    const child = start(['serve', '--port', '0', ...data], { LATCHKEY_DRAIN_SECONDS: '60' })
    onTestFinished(() => void child.kill('SIGKILL'))
    let output = ''
    const printed = async (text: string): Promise<void> => {
      while (!output.includes(text)) await once(child.stdout ?? child, 'data')
    }
    child.stdout?.on('data', (chunk) => {
      output += chunk
    })
    let errors = ''
    child.stderr?.on('data', (chunk) => {
      errors += chunk
    })
    await printed('"msg":"listening"')
    child.kill(first)
    await printed('"msg":"closing"')
    child.kill(second)
    expect(await once(child, 'close')).toEqual([code, null])
    expect(errors).toBe(`${second} while closing: ended at once.\n`)
  },
)

const canBeFirst = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0

test.skipIf(!canBeFirst).each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'a command that is the first process of a container ends at %s',
  async (signal, code) => {
    using folder = temporaryFolder()
    const data = ['--data', folder.path]
    await run(['tenant', 'create', ...data, '--domain', 'login.example.com'])
    const command = [main, 'audit', 'follow', '--after', '0', ...data]
    const child = spawn(
      'unshare',
      ['--pid', '--fork', process.execPath, '--conditions=latchkey-source', ...command],
      { env: commandEnv, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const children = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
    await once(child.stdout, 'data')
    const first = Number(children())
    const closed = once(child, 'close')
    process.kill(first, signal)
    // A signal that is ignored leaves the process running.
    const timer = setTimeout(() => process.kill(first, 'SIGKILL'), 3_000)
    onTestFinished(() => clearTimeout(timer))
    expect(await closed).toEqual([code, null])
  },
)
