import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fault, faults } from './faults-drill.ts'
import { type Field, startField } from './field.ts'
import { drillNoise } from './noise-drill.ts'

// The short form; `npx pnpm test:drills` is the long one.

let field: Field
beforeAll(async () => {
  field = await startField()
})
afterAll(() => field?.[Symbol.asyncDispose]())

test.each(Object.entries<Fault>(faults))('the service keeps its promises: %s', async (_, fault) => {
  expect(await fault(field, true)).toEqual(expect.any(String))
})

// The drill measures the rate, which on a busy machine says more about the machine. Here the others only have to go on.
test('requests of other API keys go on beside a key that sends invalid requests', async () => {
  await using own = await startField()
  const { part } = await drillNoise(own, { rounds: 1, seconds: 3, isSaturated: false })
  expect(part).toBeGreaterThan(0.5)
})
