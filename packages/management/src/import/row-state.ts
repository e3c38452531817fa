import { type ImportRow, isOpen, type RowOptions } from './row.ts'

/** Whether a column that is not empty says who may log in. */
export function isStateColumn(column: string, { mapping, states }: RowOptions): boolean {
  return !isOpen(mapping(column)) || states.says(column)
}

/**
 * Whether an empty cell in a column that says who may log in means that the user may log in. So it
 * does in a column such as `blocked`; in one such as `active`, it says nothing.
 */
export function isEmptyAllowing(column: string, { mapping, states }: RowOptions): boolean {
  const target = mapping(column)
  return isOpen(target) ? states.allowsEmpty(column) : target === 'disabled'
}

/**
 * Whether a row says if its user may log in.
 *
 * @param emptyAllows - Whether each column of the file that says who may log in does so by an empty
 *   cell, too.
 */
export function saysState(
  { states }: ImportRow,
  options: RowOptions,
  emptyAllows: boolean,
): boolean {
  return emptyAllows || states.some(([column]) => isStateColumn(column, options))
}
