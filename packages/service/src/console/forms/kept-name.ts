import { randomBytes } from 'node:crypto'

/** The field of a form with the name under which its new secrets are kept for their page. */
const KEPT_NAME = 'once'

/** Makes a name that cannot be guessed, for a form or for secrets. */
export function newKeptName(): string {
  return randomBytes(16).toString('base64url')
}

/** Makes the hidden field that gives a form a new name. */
export function newKeptField(): { field: string; value: string } {
  return { field: KEPT_NAME, value: newKeptName() }
}

/** The name in a form; `undefined` if the form has none. */
export function keptNameIn(form: URLSearchParams): string | undefined {
  const name = form.get(KEPT_NAME) ?? ''
  return /^[\w-]{22}$/.test(name) ? name : undefined
}
