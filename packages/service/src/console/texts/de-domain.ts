/**
 * The sentences of `@latchkey/management/import` about the rows of a file, in German. They come in English, with their values
 * in place; see `told` in `index.ts`.
 */
export const domainInGerman: Readonly<Record<string, string>> = {
  'has no email address': 'hat keine E-Mail-Adresse',
  '"{name}" is not an email address': '"{name}" ist keine E-Mail-Adresse',
  '"{name}" is neither true nor false': '"{name}" ist weder wahr noch falsch',
  '"{name}" is not a date': '"{name}" ist kein Datum',
  'has both a password and a hash': 'hat ein Passwort und einen Hash',
  'has the email address of line {line}': 'hat dieselbe E-Mail-Adresse wie Zeile {line}',
  'has the id of line {line}': 'hat dieselbe ID wie Zeile {line}',
  'has {count} columns, the first line has {more}':
    'hat {count} Spalten, die erste Zeile hat {more}',
  'has names of columns rather than a user': 'enthält Namen von Spalten und keinen Benutzer',
  'has a member twice': 'hat einen Wert doppelt',
  'has a password of more than 72 bytes': 'hat ein Passwort von mehr als 72 Bytes',
  'has more than 100000 characters': 'hat mehr als 100000 Zeichen',
  'is not JSON': 'ist kein JSON',
  'is not a JSON object': 'ist kein JSON-Objekt',
}
