/** The result of the cases of a group. */
export interface GroupResult {
  readonly group: string
  readonly cases: number
  passed: number
  /** Cases that are left out, with the reason. */
  readonly leftOut: readonly string[]
}

/** A table of what passed, for people. */
export function tableOf(title: string, results: readonly GroupResult[]): string {
  const width = Math.max(...results.map(({ group }) => group.length))
  const line = (group: string, passed: number, cases: number): string =>
    `  ${group.padEnd(width)}  ${String(passed).padStart(3)} of ${cases}${passed < cases ? '  ✗' : ''}`
  const total = (pick: (one: GroupResult) => number): number =>
    results.reduce((sum, one) => sum + pick(one), 0)
  return [
    title,
    ...results.map(({ group, passed, cases }) => line(group, passed, cases)),
    line(
      'all',
      total(({ passed }) => passed),
      total(({ cases }) => cases),
    ),
    ...results.flatMap(({ group, leftOut }) =>
      leftOut.map((one) => `  left out of ${group}: ${one}`),
    ),
  ].join('\n')
}
