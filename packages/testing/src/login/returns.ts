import assert from 'node:assert/strict'
import { NotTriedError } from '../suite.ts'
import type { LoginCase } from './bench.ts'
import { returnToAttacks } from './return-to-attacks.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u0085\u00a0\u2028\u2029\ufeff]/

/** The kinds of attacks. `tries` tells whether an attack is of the kind. */
const KINDS: readonly [name: string, tries: (attack: string) => boolean][] = [
  ['control characters', (attack) => CONTROL.test(attack)],
  ['a backslash', (attack) => attack.includes('\\')],
  ['two slashes', (attack) => /^\.*\/|^\.\./.test(attack)],
  ['another scheme', (attack) => !/^ *https?:/i.test(attack)],
  ['an absolute address', () => true],
]

export const returns: readonly LoginCase[] = [
  ...KINDS.map(
    ([kind], index): LoginCase => [
      `a place to return to with ${kind} does not lead to another site`,
      async ({ open, provider }) => {
        const { visitor, paths, baseUrl } = await open()
        let tried = 0
        for (const attack of returnToAttacks.filter((one) => kindOf(one) === index)) {
          const query = ['returnTo', 'return_to', 'redirect', 'next']
            .map((name) => `${name}=${encodeURIComponent(attack)}`)
            .join('&')
          const someone = visitor()
          let begun = await someone.open(`${paths.loginPath}?${query}`)
          // The login may first redirect elsewhere on this site.
          for (let hop = 0; hop < 3 && begun.location?.origin === baseUrl; hop++) {
            begun = await someone.open(begun.location.pathname + begun.location.search)
          }
          assert.ok(
            begun.status >= 400 || [baseUrl, provider.issuer].includes(`${begun.location?.origin}`),
            `${JSON.stringify(attack)} leads to ${begun.location}`,
          )
          if (begun.status >= 400) tried++
          if (begun.location?.origin !== provider.issuer) continue
          tried++
          const ended = await someone.logIn(`${paths.loginPath}?${query}`)
          assert.equal(ended.location?.origin, baseUrl, `where ${JSON.stringify(attack)} ends`)
        }
        if (tried === 0) {
          throw new NotTriedError(`GET ${paths.loginPath} does not lead to the provider`)
        }
      },
    ],
  ),
]

/** The index of the first kind that an attack is of. */
function kindOf(attack: string): number {
  return KINDS.findIndex(([, tries]) => tries(attack))
}
