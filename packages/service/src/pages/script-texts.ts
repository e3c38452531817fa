import { readFileSync } from 'node:fs'

const read = (name: string): string =>
  readFileSync(new URL(`scripts/${name}.js`, import.meta.url), 'utf8')

/** The texts of the scripts. The build copies them into this module, for bundles. */
export const scriptTexts: Readonly<
  Record<
    | 'keys'
    | 'show-password'
    | 'brought-back'
    | 'copy'
    | 'local-times'
    | 'search-key'
    | 'choose-all',
    string
  >
> = {
  keys: read('keys'),
  'show-password': read('show-password'),
  'brought-back': read('brought-back'),
  copy: read('copy'),
  'local-times': read('local-times'),
  'search-key': read('search-key'),
  'choose-all': read('choose-all'),
}
