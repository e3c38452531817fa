import fc from 'fast-check'

const free = { free: 1e6, baseSeconds: 1, maxSeconds: 1, forgetSeconds: 1 }

/** Limits that no walk reaches: every one of them tries everything. */
export const freeLimits = {
  limits: {
    loginPerAddress: free,
    loginAnywhere: free,
    loginPerClient: free,
    loginPerDevice: free,
    factorPerUser: free,
    factorPerLogin: free,
    factorAnywhere: free,
    mailPerAddress: free,
    mailPerClient: free,
  },
  requestLimits: { protocolPerSecond: 1e6, loginsPerMinute: 1e6 },
}

/**
 * How many walks are made, and how they can be repeated: `LATCHKEY_WALKS=100` makes a hundred times as many, and
 * `LATCHKEY_WALKS_SEED` those of an earlier run, whose seed a failure prints. The usual numbers take about as long for each
 * kind.
 */
export function walksToMake(usual: number): { numRuns: number; seed?: number } {
  const { LATCHKEY_WALKS = 1, LATCHKEY_WALKS_SEED } = process.env
  const numRuns = usual * Number(LATCHKEY_WALKS)
  // Without any walk, a test would pass for nothing that it tried.
  if (!(numRuns >= 1))
    throw new Error(`LATCHKEY_WALKS is "${LATCHKEY_WALKS}", not a number such as 100.`)
  return LATCHKEY_WALKS_SEED === undefined
    ? { numRuns }
    : { numRuns, seed: Number(LATCHKEY_WALKS_SEED) }
}

/** As many as one issuer sees: its lists, which walks read whole, grow with each. */
const OF_ONE_ISSUER = 250

/**
 * Makes walks at one issuer after the other.
 *
 * @param make - Starts an issuer and makes some of the walks there.
 */
export async function walkAtIssuers(
  usual: number,
  make: (parameters: { numRuns: number; seed?: number }) => Promise<void>,
): Promise<void> {
  const { numRuns, ...repeated } = walksToMake(usual)
  for (let made = 0; made < numRuns; made += OF_ONE_ISSUER) {
    const rest = Math.min(OF_ONE_ISSUER, numRuns - made)
    await make({ numRuns: rest, ...(made === 0 && repeated) })
  }
}

/** The names of the moves of a table, in its order. */
export function namesOf<Move extends string>(moves: Readonly<Record<Move, unknown>>): Move[] {
  return Object.keys(moves) as Move[]
}

/** Any move of a table, by its name: a walk that fails is printed as the names of its moves. */
export function oneOf<Move extends string>(
  moves: Readonly<Record<Move, unknown>>,
): fc.Arbitrary<Move> {
  return fc.constantFrom(...namesOf(moves))
}
