/** The name of a browser, such as `Firefox` on `macOS`; empty where its `User-Agent` does not tell. */
export interface BrowserName {
  browser: string
  system: string
}

/** Reads a `User-Agent`. The library is loaded with the first one. */
export async function browserOf(userAgent: string | undefined): Promise<BrowserName> {
  if (!userAgent) return { browser: '', system: '' }
  const { default: bowser } = await import('bowser')
  const { browser, os } = bowser.parse(userAgent)
  return { browser: browser.name ?? '', system: os.name ?? '' }
}
