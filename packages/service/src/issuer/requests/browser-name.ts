import type { Translate } from '../../pages/index.ts'

/** The name of a browser, such as `Firefox` on `macOS`; empty where its `User-Agent` does not tell. */
export interface BrowserName {
  browser: string
  system: string
}

/**
 * Reads a `User-Agent`. The library is loaded with the first one. It takes unknown words for a
 * name, so a stranger could write a message to the reader. Therefore names that it has no rule for
 * are left out.
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

/** The name of a device for a person. */
export async function deviceNameOf(userAgent: string | undefined, t: Translate): Promise<string> {
  const { browser, system } = await browserOf(userAgent)
  if (browser && system) return t('sessionsOn', { browser, system })
  return browser || system || t('sessionsUnknown')
}
