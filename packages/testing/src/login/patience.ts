import { availableParallelism, loadavg } from 'node:os'

/** The longest time that the application waits for the provider, in seconds. */
const MOST_SECONDS = 30
/** The time that the browser waits for a page on an idle machine, and the longest, in seconds. */
const PAGE_SECONDS = 20
const MOST_PAGE_SECONDS = 120

/**
 * The time that the application waits for the provider, in seconds. It is short, as some faults are
 * that the provider never answers. On a busy machine it is longer, as each step takes longer there.
 *
 * @param load - The number of programs that wait for a processor.
 */
export function patienceSeconds(
  load: number = loadavg()[0] ?? 0,
  processors: number = availableParallelism(),
): number {
  return Math.min(MOST_SECONDS, Math.max(1, Math.ceil(load / processors)))
}

/**
 * The time that the browser waits for a page, in seconds. It is several times as long as the
 * application waits for the provider.
 */
export function pageSeconds(
  load: number = loadavg()[0] ?? 0,
  processors: number = availableParallelism(),
): number {
  return Math.min(MOST_PAGE_SECONDS, PAGE_SECONDS * patienceSeconds(load, processors))
}
