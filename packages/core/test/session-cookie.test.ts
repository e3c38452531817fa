import { randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { readCookie } from '../src/http/cookies.ts'
import { createCookieSigner } from '../src/session/session-cookie.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heapBytes(): number {
  collect()
  return process.memoryUsage().heapUsed
}

test('a signature that is remembered keeps nothing of the header that it came in', () => {
  const maker = createCookieSigner(['a secret of the test'.repeat(2)])
  const values = Array.from({ length: 2000 }, () =>
    maker.sign(randomBytes(32).toString('base64url')),
  )
  const signer = createCookieSigner(['a secret of the test'.repeat(2)])
  const other = Buffer.alloc(15_000, 'x').toString('latin1')
  const ids: unknown[] = []
  const before = heapBytes()
  for (let round = 0; round < 2; round++) {
    for (const value of values) {
      const header = Buffer.from(`other=${other}; latchkey=${value}`).toString('latin1')
      ids.push(signer.verify(readCookie(header, 'latchkey')))
    }
  }
  const grown = heapBytes() - before
  expect(ids).toEqual([...values, ...values].map((value) => value.split('.')[0]))
  expect(grown).toBeLessThan(10_000_000)
})
