import type { Translate } from '../../pages/index.ts'

/**
 * The name of a browser, such as `Firefox` on `macOS`. A name that the `User-Agent` does not tell
 * is empty.
 */
export interface BrowserName {
  browser: string
  system: string
}

/**
 * Reads a `User-Agent`. The library is loaded at the first call. The library would accept any word
 * as a name, so that a stranger could write a message to the reader. Therefore unknown names are
 * left out.
 */
export async function browserOf(userAgent: string | undefined): Promise<BrowserName> {
  if (!userAgent) return { browser: '', system: '' }
  const { default: bowser } = await import('bowser')
  const { browser, os } = bowser.parse(userAgent)
  return { browser: known(browser.name, bowser.BROWSER_MAP), system: known(os.name, bowser.OS_MAP) }
}

function known(name: string | undefined, names: Record<string, string>): string {
  return name !== undefined && Object.values(names).includes(name) ? name : ''
}

/** The name of a device, as people read it. */
export async function deviceNameOf(userAgent: string | undefined, t: Translate): Promise<string> {
  const { browser, system } = await browserOf(userAgent)
  if (browser && system) return t('sessionsOn', { browser, system })
  return browser || system || t('sessionsUnknown')
}
