import { refusalIn } from '../../domain/writes/errors.ts'
import { refusalText, type Text } from '../texts/index.ts'

/** The reason why a form comes back, and the status of its page. */
export interface Refused {
  readonly problem?: Text
  readonly status?: number
}

/** The reason for which the domain has refused a form. @throws what is no refusal, and one of an object that is gone. */
export function refusedBy(error: unknown): Required<Refused> {
  const refusal = refusalIn(error)
  if (refusal.code === 'not_found') throw error
  return { problem: refusalText(refusal), status: 422 }
}
