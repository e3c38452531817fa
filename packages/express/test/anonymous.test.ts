import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

interface Outcome {
  readonly statuses: Record<string, number>
  readonly written: number
  /** Bytes of data in the heap after each round of hits. */
  readonly heaps: [warm: number, done: number]
}

const script = fileURLToPath(new URL('support/anonymous-hits.ts', import.meta.url))

test('ten thousand anonymous hits write nothing to the session store and leave nothing in memory', async () => {
  const child = fork(script, ['2000', '10000'], {
    execArgv: ['--conditions=latchkey-source'],
  })

  const [outcome] = (await once(child, 'message')) as [Outcome]

  expect(outcome.statuses).toEqual({ 302: 12_000 })
  expect(outcome.written).toBe(0)
  const [warm, done] = outcome.heaps
  // 30 bytes a hit: less than any entry of a map takes.
  expect(done - warm).toBeLessThan(300_000)
})
