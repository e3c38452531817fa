import {
  type MisbehavingProvider,
  startMisbehavingProvider,
} from '@latchkey/testing/misbehaving-provider'
import { expect, test } from 'vitest'

/** The modulus of the key that the provider publishes. */
async function modulusOf({ url }: MisbehavingProvider): Promise<string> {
  const response = await fetch(`${url}/jwks`)
  return ((await response.json()) as { keys: { n: string }[] }).keys[0]?.n ?? ''
}

test('providers that run at the same time have different keys, also after a rotation; a closed one passes its keys on', async () => {
  await using first = await startMisbehavingProvider()
  const second = await startMisbehavingProvider()
  const before = [await modulusOf(first), await modulusOf(second)]
  second.rotateKey()
  const rotated = await modulusOf(second)
  expect(new Set([...before, rotated]).size).toBe(3)
  await second.close()

  await using third = await startMisbehavingProvider()
  await using fourth = await startMisbehavingProvider()
  await using fifth = await startMisbehavingProvider()
  const [a, b, c] = [await modulusOf(third), await modulusOf(fourth), await modulusOf(fifth)]
  expect(new Set([before[0], a, b, c]).size).toBe(4)
  expect([a, b, c]).toEqual(expect.arrayContaining([before[1], rotated]))
})
