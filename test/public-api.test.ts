import { expect, test } from 'vitest'
import { exportsOfPackages } from '../scripts/public-api.ts'

test('every package exports exactly the names of this list, including types', async () => {
  await expect(exportsOfPackages()).toMatchFileSnapshot('public-api.txt')
})
