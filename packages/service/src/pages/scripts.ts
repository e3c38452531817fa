import { hash } from 'node:crypto'
import { scriptTexts } from './script-texts.ts'

/** A script of the hosted pages or the console, and its path. */
interface Script {
  path: string
  text: string
}

/** The script that asks the browser for passkeys and security keys. */
export const keyScript: Script = named('keys')

/** The script of the button that shows the password being entered. */
export const passwordScript: Script = named('show-password')

/** The script that reloads a page from the back-forward cache of the browser. */
export const broughtBackScript: Script = named('brought-back')

/** The script of buttons that copy a text or save it as a file. */
export const copyScript: Script = named('copy')

/** The script that adds the reader's local time to each time in UTC. */
export const localTimesScript: Script = named('local-times')

/** The script that opens the search of the console on Ctrl+K and ⌘K. */
export const searchKeyScript: Script = named('search-key')

/** The script of the checkbox that selects all rows of a list. */
export const chooseAllScript: Script = named('choose-all')

/** All scripts of the hosted pages and the console. */
export const scripts: readonly Script[] = [
  keyScript,
  passwordScript,
  broughtBackScript,
  copyScript,
  localTimesScript,
  searchKeyScript,
  chooseAllScript,
]

/**
 * The headers of a response with a script. A path names one version, so it is cached for a year.
 */
export const scriptHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
}

/** Makes a script. Its path contains a hash of its text. */
function named(name: keyof typeof scriptTexts): Script {
  const text = scriptTexts[name]
  return { path: `/assets/${name}-${hash('sha256', text, 'hex').slice(0, 16)}.js`, text }
}
