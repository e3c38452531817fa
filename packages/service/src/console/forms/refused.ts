import { refusalIn } from '../../domain/writes/errors.ts'
import { refusalText, type Text } from '../texts/index.ts'

/**
 * The refusal of a form, whose page is shown again: the reason, and the HTTP status of the page.
 * Empty if no form was refused.
 */
export interface Refused {
  readonly problem?: Text
  readonly status?: number
}

/**
 * Turns a refusal by the domain into the reason and the status of the page.
 *
 * @throws The error itself if it is no refusal, or a refusal with the code `not_found`.
 */
export function refusedBy(error: unknown): Required<Refused> {
  const refusal = refusalIn(error)
  if (refusal.code === 'not_found') throw error
  return { problem: refusalText(refusal), status: 422 }
}
