import { expect, test } from 'vitest'
import { OldestFirst, remember } from '../src/shared/oldest-first.ts'

/** Random numbers that are the same in each run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % below
  }
}

test('after any sets and deletes, the entries leave in the order in which they were set last', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = randomFrom(seed)
    const map = new OldestFirst<number, number>()
    const model = new Map<number, number>()
    for (let step = 0; step < 200; step++) {
      const key = random(20)
      if (random(3) === 0) {
        expect(map.delete(key)).toBe(model.delete(key))
      } else {
        map.set(key, step)
        model.delete(key)
        model.set(key, step)
      }
      expect([map.has(key), map.get(key)]).toEqual([model.has(key), model.get(key)])
    }
    expect(map.size).toBe(model.size)

    const left: [number, number][] = []
    for (let { oldest } = map; oldest; { oldest } = map) {
      left.push([oldest.key, oldest.value])
      map.delete(oldest.key)
    }

    expect(left).toEqual([...model])
    expect(map.size).toBe(0)
  }
})

test('remember() drops the oldest entry above the limit, and an entry that is set again is the newest', () => {
  const map = new OldestFirst<string, number>()
  for (const [value, key] of ['a', 'b', 'a', 'c'].entries()) remember(map, key, value, 2)

  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([2, undefined, 3])
})
