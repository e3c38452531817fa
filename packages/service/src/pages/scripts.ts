import { hash } from 'node:crypto'
import { scriptTexts } from './script-texts.ts'

/** A script of the hosted pages, and where it is. */
interface Script {
  path: string
  text: string
}

/** Asks for passkeys and security keys. */
export const keyScript: Script = named('keys')

/** Lets people read the password that they are entering. */
export const passwordScript: Script = named('show-password')

/** Asks for a page again that the browser brings back from its back-forward cache. */
export const broughtBackScript: Script = named('brought-back')

/** Buttons that copy a text or save it as a file. */
export const copyScript: Script = named('copy')

/** The reader's own time beside each time in UTC. */
export const localTimesScript: Script = named('local-times')

/** Ctrl+K and ⌘K for the search of the console. */
export const searchKeyScript: Script = named('search-key')

/** A box that chooses all rows of a list. */
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

/** The headers of a response with a script, which never changes. */
export const scriptHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
}

/** A script whose text is named by its path. */
function named(name: keyof typeof scriptTexts): Script {
  const text = scriptTexts[name]
  return { path: `/assets/${name}-${hash('sha256', text, 'hex').slice(0, 16)}.js`, text }
}
