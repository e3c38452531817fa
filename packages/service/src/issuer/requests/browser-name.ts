import type { Translate } from '../../pages/index.ts'

/** The name of a browser, such as `Firefox` on `macOS`; empty if its `User-Agent` does not tell. */
export interface BrowserName {
  browser: string
  system: string
}

/**
 * Reads a `User-Agent`. The library is loaded at the first call. It would accept unknown words as
 * names, so that a stranger could write a message to the reader. Therefore names without a rule are
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
