import type { PageName, Pages } from './pages.ts'
import type { TextKey } from './texts/index.ts'

/** The icon for the subject of a page. */
interface Icon {
  tone: 'good' | 'bad' | 'plain'
  /** The path data (`d`) in an SVG image of 24 by 24. */
  path: string
}

const done: Icon = { tone: 'good', path: 'M5 12.5 10 17.5 19 7.5' }
const failed: Icon = { tone: 'bad', path: 'M12 5.5v8M12 18v.5' }
const wait: Icon = { tone: 'plain', path: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4.5l3 2' }
const mail: Icon = { tone: 'plain', path: 'M4.5 7h15v10.5h-15zM4.5 7.5 12 13l7.5-5.5' }

const byTitle: Partial<Record<TextKey, Icon>> = {
  verifiedTitle: done,
  resetDoneTitle: done,
  deletionDoneTitle: done,
  loggedOutTitle: done,
  signedInTitle: done,
  deviceDoneTitle: done,
  deviceDeniedTitle: failed,
  cookiesTitle: failed,
  errorTitle: failed,
  linkInvalidTitle: failed,
  notFoundTitle: failed,
  loginOffTitle: failed,
  expiredTitle: wait,
  tooManyTitle: wait,
}

/** The icon of a page; `undefined` for a page without an icon. */
export function iconOf(name: PageName, page: Pages[PageName]): Icon | undefined {
  if (name === 'checkMail') return mail
  return name === 'message' ? byTitle[(page as Pages['message']).title] : undefined
}
