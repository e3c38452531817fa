import { refusalIn } from '../domain/writes/errors.ts'
import { type Text, told } from './texts/index.ts'

/** The reason why a form comes back, and the status of its page. */
export interface Refused {
  readonly problem?: Text
  readonly status?: number
}

/** The reason for which the domain has refused a form. @throws what is no refusal, and one of an object that is gone. */
export function refusedBy(error: unknown): Required<Refused> {
  const { code, message } = refusalIn(error)
  if (code === 'not_found') throw error
  return { problem: told(message), status: 422 }
}
