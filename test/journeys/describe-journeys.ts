import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Engine, EngineName } from '../support/engines/engine.ts'
import { journeys, usual, walk } from './journeys.ts'
import { startWorld, type World } from './world.ts'

/** The time of a journey, in a browser that other tests slow down. */

/** Walks every journey in a browser, or says why it does not run here. */
export function describeJourneys(
  name: EngineName,
  start: () => Promise<Engine>,
  missing?: string,
): void {
  if (missing) process.stdout.write(`${name} ${missing}; its journeys are left out.\n`)
  describe.skipIf(missing)(`in ${name}`, () => {
    let engine: Engine
    let world: World
    beforeAll(async () => {
      world = await startWorld(usual)
      engine = await start()
    })
    afterAll(async () => {
      await engine?.[Symbol.asyncDispose]()
      await world?.[Symbol.asyncDispose]()
    })

    for (const journey of journeys.filter(({ not }) => !not?.[name])) {
      test(journey.name, () => walk(journey, world, engine.open))
    }
  })
}
