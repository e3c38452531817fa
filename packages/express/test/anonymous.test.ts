import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

interface Outcome {
  readonly statuses: Record<string, number>
  readonly written: number
  /** Bytes of the heap after everything that can go has gone. */
  readonly before: number
  readonly after: number
}

const script = fileURLToPath(new URL('support/anonymous-hits.ts', import.meta.url))

test('ten thousand anonymous hits write nothing to the session store and leave nothing in memory', async () => {
  const child = fork(script, ['10000', '2000'], {
    execArgv: ['--conditions=latchkey-source', '--expose-gc'],
  })

  const [outcome] = (await once(child, 'message')) as [Outcome]

  expect(outcome.statuses).toEqual({ 302: 12_000 })
  expect(outcome.written).toBe(0)
  // 40 bytes a hit: less than any entry of a map takes.
  expect(outcome.after - outcome.before).toBeLessThan(400_000)
}, 60_000)
