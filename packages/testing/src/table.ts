/** The results of a group of cases. */
export interface GroupResult {
  readonly group: string
  readonly cases: number
  passed: number
  /** The skipped cases, each with its reason. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[]
  /** The cases that could not be tried, each with its reason. */
  readonly notTried: string[]
}

/** The results as a table for people. */
export function tableOf(title: string, results: readonly GroupResult[]): string {
  const width = Math.max(...results.map(({ group }) => group.length))
  const line = (group: string, passed: number, cases: number, untried: number): string => {
    const failed = passed + untried < cases ? '  ✗' : ''
    const rest = untried > 0 ? `, ${untried} not tried` : ''
    return `  ${group.padEnd(width)}  ${String(passed).padStart(3)} of ${cases}${rest}${failed}`
  }
  const total = (pick: (one: GroupResult) => number): number =>
    results.reduce((sum, one) => sum + pick(one), 0)
  return [
    title,
    ...results.map(({ group, passed, cases, notTried }) =>
      line(group, passed, cases, notTried.length),
    ),
    line(
      'all',
      total(({ passed }) => passed),
      total(({ cases }) => cases),
      total(({ notTried }) => notTried.length),
    ),
    ...results.flatMap(({ group, notTried }) =>
      notTried.map((one) => `  not tried of ${group}: ${one}`),
    ),
    ...leftOutLines(results),
  ].join('\n')
}

/** The maximum number of cases with the same reason that are named. More are only counted. */
const NAMED = 3

/** A line for each skipped case, or for each reason that many cases share. */
function leftOutLines(results: readonly GroupResult[]): string[] {
  const all = results.flatMap(({ group, leftOut }) => leftOut.map((one) => ({ group, ...one })))
  const byReason = Map.groupBy(all, ({ reason }) => reason)
  return [...byReason].flatMap(([reason, cases]) =>
    cases.length > NAMED
      ? [`  left out: ${cases.length} cases (${reason})`]
      : cases.map(({ group, name }) => `  left out of ${group}: ${name} (${reason})`),
  )
}
