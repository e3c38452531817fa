import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type StoreName, startApi } from '../support/api.ts'

const runs: [store: StoreName, numRuns: number][] = [
  ['memory', 40],
  ['SQLite', 12],
]

/** What happens between two pages: users come, and the one at a place of the list goes. */
const between = fc.record({ inserts: fc.nat(3), deletes: fc.array(fc.nat(50), { maxLength: 3 }) })

describe.each(runs)('on %s', (store, numRuns) => {
  test('a walk meets every object that exists throughout exactly once, while others come and go', async () => {
    await using api = await startApi(store)
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 25 }),
        fc.integer({ min: 1, max: 7 }),
        fc.array(between, { maxLength: 12 }),
        async (size, limit, steps) => {
          const alive: string[] = []
          for (let i = 0; i < size; i++) alive.push((await api.createUser()).id)
          const throughout = new Set(alive)
          const everExisted = new Set(alive)
          const met: string[] = []

          let path: string | undefined = `${api.users}?limit=${limit}`
          for (let page = 0; path; page++) {
            const answer = await api.get(path)
            expect(answer.body.total).toBe(alive.length)
            expect(answer.body.count).toBe(answer.body.data.length)
            met.push(...answer.body.data.map(({ id }: { id: string }) => id))
            path = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]

            const { inserts, deletes } = steps[page] ?? { inserts: 0, deletes: [] }
            for (const place of deletes) {
              const [id] = alive.splice(place, 1)
              if (id === undefined) continue
              throughout.delete(id)
              await api.delete(`${api.users}/${id}`)
            }
            for (let i = 0; i < inserts; i++) {
              const { id } = await api.createUser()
              alive.push(id)
              everExisted.add(id)
            }
          }

          expect(new Set(met).size).toBe(met.length)
          expect([...met].sort()).toEqual(met)
          expect([...throughout].filter((id) => !met.includes(id))).toEqual([])
          expect(met.filter((id) => !everExisted.has(id))).toEqual([])
          for (const id of alive) await api.delete(`${api.users}/${id}`)
        },
      ),
      { numRuns },
    )
  })
})
