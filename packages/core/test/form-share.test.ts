import { expect, test } from 'vitest'
import { createFormShare } from '../src/login/form-share.ts'

const MIB = 2 ** 20

test.each([
  ['the largest', 60_000],
  ['empty', 0],
])('a share of 4 MiB holds all that fits of %s forms, and the oldest make room', (_name, bytes) => {
  const share = createFormShare(4 * MIB, 600, () => 0)
  const gone: string[] = []
  for (let n = 0; n < 10_000; n++) gone.push(...share.take(String(n), bytes))
  const left = 10_000 - gone.length
  expect(gone).toEqual(gone.map((_, n) => String(n)))
  // An entry of the store takes about a kilobyte beside its text.
  expect(left).toBe(Math.floor((4 * MIB) / (bytes + 1024)))
})

test('a form that has expired makes room by itself, and is not named', () => {
  let now = 0
  const share = createFormShare(2 * MIB, 600, () => now)
  expect(share.take('first', MIB)).toEqual([])
  now = 600
  expect(share.take('second', MIB)).toEqual([])
  expect(share.take('third', MIB)).toEqual(['second'])
})
