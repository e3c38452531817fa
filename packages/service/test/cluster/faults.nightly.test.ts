import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLUSTER_START_MS } from '../support/cluster.ts'
import { type Fault, faults } from './faults-drill.ts'
import { type Field, startField } from './field.ts'
import { drillNoise } from './noise-drill.ts'

// The short form; `npx pnpm test:drills` is the long one.

let field: Field
beforeAll(async () => {
  field = await startField()
}, CLUSTER_START_MS)
afterAll(() => field?.[Symbol.asyncDispose]())

test.each(Object.entries<Fault>(faults))(
  'the service keeps its promises: %s',
  {
    timeout: 120_000,
  },
  async (_, fault) => {
    expect(await fault(field, true)).toEqual(expect.any(String))
  },
)

// The drill measures the rate, which on a busy machine says more about the machine. Here the others only have to go on.
test('requests of other API keys go on beside a key that sends invalid requests', {
  timeout: 120_000,
}, async () => {
  await using own = await startField()
  const { part } = await drillNoise(own, { rounds: 1, seconds: 3, isSaturated: false })
  expect(part).toBeGreaterThan(0.5)
})
