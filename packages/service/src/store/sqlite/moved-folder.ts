import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const NAME = 'moved.json'

/**
 * Marks a data folder as moved to PostgreSQL. The mark is a file with a report of the copied
 * objects.
 */
export function markMoved(folder: string, report: object): void {
  writeFileSync(join(folder, NAME), `${JSON.stringify(report, null, 2)}\n`)
}

/**
 * Refuses a data folder that was moved, because later writes to the folder would be lost.
 *
 * @throws if the folder has a mark of {@link markMoved}.
 */
export function refuseMoved(folder: string): void {
  const mark = join(folder, NAME)
  if (!existsSync(mark)) return
  throw new Error(
    `The data of ${folder} was moved to PostgreSQL; use --database. To use the folder after all, as it was then, delete ${mark}.`,
  )
}
