/** The result of the cases of a group. */
export interface GroupResult {
  readonly group: string
  readonly cases: number
  passed: number
  /** Cases that are left out, with the reason. */
  readonly leftOut: readonly string[]
  /** Cases that could not be tried, with the reason. */
  readonly notTried: string[]
}

/** A table of what passed, for people. */
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
    ...results.flatMap(({ group, leftOut }) =>
      leftOut.map((one) => `  left out of ${group}: ${one}`),
    ),
  ].join('\n')
}
