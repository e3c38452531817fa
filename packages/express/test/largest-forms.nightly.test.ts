import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('support/largest-forms.ts', import.meta.url))

/** More than fit into the heap of the process: each takes about 77 kB. */
const FORMS = 3_000

test('strangers who send the largest forms do not end a process that keeps forms in memory', async () => {
  const child = fork(script, [`${FORMS}`], {
    execArgv: ['--conditions=latchkey-source', '--max-old-space-size=160'],
    stdio: 'ignore',
  })

  const [told] = await Promise.race([once(child, 'message'), once(child, 'exit')])

  expect(told).toEqual({ statuses: { 200: FORMS } })
})
