import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { start, temporaryFolder } from './support.ts'

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
