import { expect, test } from 'vitest'
import { exportsOfPackages } from '../scripts/public-api.ts'

test('every package exports the names of this list, types included, and changes them on purpose alone', async () => {
  await expect(exportsOfPackages()).toMatchFileSnapshot('public-api.txt')
})
