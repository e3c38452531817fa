import { refusalIn, ServiceError } from '../../domain/writes/errors.ts'
import { refusalText, type Sentence, type Text } from '../texts/index.ts'

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

/**
 * As {@link refusedBy}, for a form that makes one object. If the form was sent before, perhaps by a
 * double click, the status is 409, and the console leads to the secret that was made.
 */
export function refusedOnce(error: unknown): Required<Refused> {
  if (!(error instanceof ServiceError) || error.code !== 'already_exists') return refusedBy(error)
  const problem: Sentence =
    'Nothing was made: this form was sent before, perhaps by pressing the button twice. Press again only if one more is wanted.'
  return { problem, status: 409 }
}
