// cspell:ignore wahr falsch nein oui não

/** The values of a column that mean true, in lower case. Some are from Excel in German. */
export const TRUE: ReadonlySet<string> = new Set([
  'true',
  't',
  '1',
  'yes',
  'y',
  'wahr',
  'ja',
  'j',
  'on',
  'oui',
  'sí',
  'si',
  'sim',
])

/** The values of a column that mean false, in lower case. */
export const FALSE: ReadonlySet<string> = new Set([
  'false',
  'f',
  '0',
  'no',
  'n',
  'off',
  'non',
  'não',
  '',
  'null',
  'falsch',
  'nein',
])
