/**
 * The name of a fault of a row. A program can use this name to show its own texts, in other
 * languages.
 */
export type RowFaultName =
  | 'no_email'
  | 'not_email'
  | 'not_boolean'
  | 'not_date'
  | 'verified_and_not'
  | 'same_email'
  | 'same_id'
  | 'columns'
  | 'heading'
  | 'twice'
  | 'not_json'
  | 'not_object'
  | 'inside'
  | 'too_long'
  | 'metadata_keys'
  | 'metadata_key'
  | 'metadata_value'
  | 'two_passwords'
  | 'password_long'
  | 'hash_unnamed'
  | 'hash_unknown'
  | 'hash_bcrypt'
  | 'hash_cost'
  | 'hash_digest'
  | 'hash_other'
  | 'keycloak_unreadable'
  | 'keycloak_empty'
  | 'firebase_salt'

/**
 * The text of each fault: the end of a sentence that begins with the row. `{name}` is replaced with
 * the value of that name.
 */
export const rowFaults: Readonly<Record<RowFaultName, string>> = {
  no_email: 'has no email address',
  not_email: '"{column}" is not an email address',
  not_boolean: '"{column}" is neither true nor false',
  not_date: '"{column}" is not a date such as 2024-01-31, with or without a time',
  verified_and_not: 'has a date of verification, but "{column}" says that it is not verified',
  same_email: 'has the email address of line {line}',
  same_id: 'has the id of line {line}',
  columns: 'has {count} columns, the first line has {more}',
  heading: 'has names of columns rather than a user',
  twice: 'has a member twice',
  not_json: 'is not JSON',
  not_object: 'is not a JSON object',
  inside: 'has a "{column}" that {fault}',
  too_long: 'has more than {most} characters',
  metadata_keys: 'has {count} metadata keys; at most {most} are kept',
  metadata_key: 'has a metadata key of more than {most} characters',
  metadata_value: '"{column}" has more than {most} characters',
  two_passwords: 'has both a password and a hash',
  password_long: 'has a password of more than {most} bytes',
  hash_unnamed:
    'has a hash of an unknown algorithm; name it with --hash-algorithm or in a column, or add --no-passwords',
  hash_unknown: 'names an algorithm other than {all}',
  hash_bcrypt: 'has a hash that is not bcrypt: $2a$, $2b$ or $2y$, 60 characters',
  hash_cost: 'has a bcrypt hash of cost {cost}; accepted are {least} to {most}',
  hash_digest:
    'has a hash that is not {name}: {digits} hexadecimal digits, or base64 of {bytes} bytes',
  hash_other: 'has a hash that is not of {name}',
  keycloak_unreadable: 'has a password of Keycloak that cannot be read',
  keycloak_empty: 'has a password of Keycloak without a value',
  firebase_salt: 'has a hash of Firebase without a salt',
}

/** The values in the sentence of a fault. No value is a password or a hash. */
export type RowFaultValues = Readonly<Record<string, string | number | RowFault>>

/** The reason why a row is not imported. */
export interface RowFault {
  readonly fault: RowFaultName
  readonly values: RowFaultValues
}

/** Creates a fault. */
export function rowFault(fault: RowFaultName, values: RowFaultValues = {}): RowFault {
  return { fault, values }
}

/** Formats the faults as one text, in English. */
export function faultsInWords(faults: readonly RowFault[]): string {
  return faults.map(inWords).join('; ')
}

function inWords({ fault, values }: RowFault): string {
  return rowFaults[fault].replaceAll(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name]
    if (value === undefined) return place
    return typeof value === 'object' ? inWords(value) : String(value)
  })
}
