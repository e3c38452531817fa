import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import fc from 'fast-check'
import { CompactSign, compactVerify, createLocalJWKSet, errors, exportJWK, type JWK } from 'jose'
import { expect, test } from 'vitest'
import { type KeySet, parseKeySet, verifySignature } from '../src/provider/signed/signature.ts'

interface Pair {
  readonly algs: readonly string[]
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
const pair = (
  algs: readonly string[],
  { privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject },
): Pair => ({ algs, privateKey, publicKey })
const pairs: readonly Pair[] = [
  pair(RSA, generateKeyPairSync('rsa', { modulusLength: 2048 })),
  pair(RSA, generateKeyPairSync('rsa', { modulusLength: 2048 })),
  pair(['ES256'], generateKeyPairSync('ec', { namedCurve: 'P-256' })),
  pair(['ES384'], generateKeyPairSync('ec', { namedCurve: 'P-384' })),
  pair(['ES512'], generateKeyPairSync('ec', { namedCurve: 'P-521' })),
  pair(['EdDSA', 'Ed25519'], generateKeyPairSync('ed25519')),
]
const jwks: readonly JWK[] = await Promise.all(pairs.map(({ publicKey }) => exportJWK(publicKey)))

const kid = fc.constantFrom(undefined, 'one', 'two')
const published = fc.record({
  index: fc.nat(pairs.length - 1),
  kid,
  use: fc.constantFrom(undefined, 'sig', 'enc'),
  isBound: fc.boolean(),
})
const token = fc.record({
  index: fc.nat(pairs.length - 1),
  alg: fc.nat(5),
  kid,
  payload: fc.string(),
  damage: fc.constantFrom('none', 'none', 'payload', 'signature', 'cut', 'alg'),
})

test('a good signature is remembered by its key set alone, and only with the name of the token', async () => {
  const [first, second] = [pairs[0], pairs[1]] as [Pair, Pair]
  const setOf = (index: number) =>
    parseKeySet(JSON.stringify({ keys: [{ ...jwks[index], kid: 'one' }] })) as KeySet
  const signed = (by: Pair) =>
    new CompactSign(Buffer.from('{}'))
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(by.privateKey)
  const [token, other] = [await signed(first), await signed(second)]
  const keys = setOf(0)
  const faultOf = async (jws: string, set: KeySet, name?: string) =>
    (await verifySignature(jws, () => set, undefined, name)).fault

  expect(await faultOf(token, keys, 'name of the token')).toBeUndefined()
  expect(await faultOf(token, setOf(1), 'name of the token')).toBe('is wrong')
  expect(await faultOf(other, keys, 'name of another')).toBe('is wrong')
  expect(await faultOf(other, keys)).toBe('is wrong')
  // Nothing but the name is looked at: it has to be a hash of all of the token.
  expect(await faultOf(other, keys, 'name of the token')).toBeUndefined()
})

test('random tokens and key sets are accepted or refused as by jose', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(published, { maxLength: 4 }), token, async (keys, made) => {
      const { algs, privateKey } = pairs[made.index] as Pair
      const alg = algs[made.alg % algs.length] as string
      const header = { alg, ...(made.kid === undefined ? {} : { kid: made.kid }) }
      const signed = await new CompactSign(
        new TextEncoder().encode(JSON.stringify({ text: made.payload })),
      )
        .setProtectedHeader(header)
        .sign(privateKey)
      const jws = damaged(signed, made.damage)
      const set = {
        keys: keys.map(({ index, kid: name, use, isBound }) => ({
          ...jwks[index],
          ...(name === undefined ? {} : { kid: name }),
          ...(use === undefined ? {} : { use }),
          ...(isBound ? { alg: (pairs[index] as Pair).algs[0] as string } : {}),
        })),
      }

      const theirs = await verifiedByJose(jws, set, made.kid !== undefined)
      const own = parseKeySet(JSON.stringify(set))
      const { fault } = await verifySignature(jws, async () => own as NonNullable<typeof own>)

      expect(fault === undefined, `${JSON.stringify(header)} ${fault}`).toBe(theirs)
    }),
    { numRuns: 400 },
  )
})

/** Whether jose accepts a token: with the one key that fits, or with one of those that share the name of its header. */
async function verifiedByJose(
  jws: string,
  set: { keys: JWK[] },
  isNamed: boolean,
): Promise<boolean> {
  try {
    await compactVerify(jws, createLocalJWKSet(set))
    return true
  } catch (error) {
    if (!isNamed || !(error instanceof errors.JWKSMultipleMatchingKeys)) return false
    for await (const key of error) {
      const isGood = await compactVerify(jws, key).then(
        () => true,
        () => false,
      )
      if (isGood) return true
    }
    return false
  }
}

test('of the keys that share a name, no more than eight are tried', async () => {
  const [, , { privateKey }] = pairs as [Pair, Pair, Pair]
  const jws = await new CompactSign(new TextEncoder().encode('{}'))
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .sign(privateKey)
  const other = await exportJWK(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)
  for (const [others, fault] of [
    [7, undefined],
    [8, 'is wrong'],
  ] as const) {
    const keys = [...Array.from({ length: others }, () => other), jwks[2]]
    const named = keys.map((key) => ({ ...key, kid: 'one' }))
    const own = parseKeySet(JSON.stringify({ keys: named }))
    const answer = await verifySignature(jws, async () => own as NonNullable<typeof own>)
    expect(answer.fault).toBe(fault)
  }
})

function damaged(jws: string, how: string): string {
  const [head = '', body = '', signature = ''] = jws.split('.')
  const swap = (text: string): string => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
  switch (how) {
    case 'payload':
      return [head, Buffer.from('{"text":"another"}').toString('base64url'), signature].join('.')
    case 'signature':
      return [head, body, swap(signature)].join('.')
    case 'cut':
      return [head, body, signature.slice(0, -4)].join('.')
    case 'alg': {
      const other = { ...JSON.parse(Buffer.from(head, 'base64url').toString()), alg: 'HS256' }
      return [Buffer.from(JSON.stringify(other)).toString('base64url'), body, signature].join('.')
    }
    default:
      return jws
  }
}
