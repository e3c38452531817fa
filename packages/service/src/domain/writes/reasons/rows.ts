import type { RowFaultName } from '@latchkey/management/import'

/**
 * The sentences for faults of a row in an imported file, by the names of
 * `@latchkey/management/import`.
 */
export const rows = {
  row_no_email: { en: 'has no email address', de: 'hat keine E-Mail-Adresse' },
  row_not_email: {
    en: '"{column}" is not an email address',
    de: '„{column}“ ist keine E-Mail-Adresse',
  },
  row_not_boolean: {
    en: '"{column}" is neither true nor false',
    de: '„{column}“ ist weder wahr noch falsch',
  },
  row_not_date: {
    en: '"{column}" is not a date such as 2024-01-31, with or without a time',
    de: '„{column}“ ist kein Datum wie 2024-01-31, mit oder ohne Uhrzeit',
  },
  row_verified_and_not: {
    en: 'has a date of verification, but "{column}" says that it is not verified',
    de: 'hat ein Datum der Bestätigung, aber nach „{column}“ ist die Adresse nicht bestätigt',
  },
  row_same_email: {
    en: 'has the email address of line {line}',
    de: 'hat dieselbe E-Mail-Adresse wie Zeile {line}',
  },
  row_same_id: { en: 'has the id of line {line}', de: 'hat dieselbe ID wie Zeile {line}' },
  row_columns: {
    en: 'has {count} columns, the first line has {more}',
    de: 'hat {count} Spalten, die erste Zeile hat {more}',
  },
  row_heading: {
    en: 'has names of columns rather than a user',
    de: 'enthält Namen von Spalten und keinen Benutzer',
  },
  row_twice: { en: 'has a member twice', de: 'hat einen Wert doppelt' },
  row_not_json: { en: 'is not JSON', de: 'ist kein JSON' },
  row_not_object: { en: 'is not a JSON object', de: 'ist kein JSON-Objekt' },
  row_inside: {
    en: 'has a "{column}" that {fault}',
    de: 'hat „{column}“, das zu beanstanden ist: {fault}',
  },
  row_too_long: { en: 'has more than {most} characters', de: 'hat mehr als {most} Zeichen' },
  row_metadata_keys: {
    en: 'has {count} metadata keys; at most {most} are kept',
    de: 'hat {count} Schlüssel in den Metadaten; höchstens {most} sind erlaubt',
  },
  row_metadata_key: {
    en: 'has a metadata key of more than {most} characters',
    de: 'hat in den Metadaten einen Schlüssel von mehr als {most} Zeichen',
  },
  row_metadata_value: {
    en: '"{column}" has more than {most} characters',
    de: '„{column}“ hat mehr als {most} Zeichen',
  },
  row_two_passwords: {
    en: 'has both a password and a hash',
    de: 'hat ein Passwort und einen Hash',
  },
  row_password_long: {
    en: 'has a password of more than {most} bytes',
    de: 'hat ein Passwort von mehr als {most} Bytes',
  },
  row_hash_unnamed: {
    en: 'has a hash of an unknown algorithm; choose it below, or leave passwords out',
    de: 'hat einen Hash eines unbekannten Algorithmus; wählen Sie ihn unten, oder lassen Sie Passwörter aus',
  },
  row_hash_unknown: {
    en: 'names an algorithm other than {all}',
    de: 'nennt einen anderen Algorithmus als {all}',
  },
  row_hash_bcrypt: {
    en: 'has a hash that is not bcrypt: $2a$, $2b$ or $2y$, 60 characters',
    de: 'hat einen Hash, der kein bcrypt ist: $2a$, $2b$ oder $2y$, 60 Zeichen',
  },
  row_hash_cost: {
    en: 'has a bcrypt hash of cost {cost}; accepted are {least} to {most}',
    de: 'hat einen bcrypt-Hash mit den Kosten {cost}; erlaubt sind {least} bis {most}',
  },
  row_hash_digest: {
    en: 'has a hash that is not {name}: {digits} hexadecimal digits, or base64 of {bytes} bytes',
    de: 'hat einen Hash, der nicht {name} ist: {digits} hexadezimale Ziffern oder base64 von {bytes} Bytes',
  },
  row_hash_other: {
    en: 'has a hash that is not of {name}',
    de: 'hat einen Hash, der nicht von {name} ist',
  },
  row_keycloak_unreadable: {
    en: 'has a password of Keycloak that cannot be read',
    de: 'hat ein Passwort von Keycloak, das nicht lesbar ist',
  },
  row_keycloak_empty: {
    en: 'has a password of Keycloak without a value',
    de: 'hat ein Passwort von Keycloak ohne einen Wert',
  },
  row_firebase_salt: {
    en: 'has a hash of Firebase without a salt',
    de: 'hat einen Hash von Firebase ohne Salt',
  },
} as const satisfies Readonly<Record<`row_${RowFaultName}`, object>>
