import { test } from 'vitest'
import { shared } from '../support/shared.ts'

const engine = shared('the engine', async () => {
  throw new Error('it needs steam\nand more')
})

for (const name of ['first', 'second', 'third']) {
  test(name, async () => void (await engine()))
}
