// cspell:ignore wahr falsch nein oui não

/** Values of a flag that is on, in lower case; those of German Excel are among them. */
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

/** Values of a flag that is off. */
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
