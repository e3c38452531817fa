import { limit } from '../limits.ts'
/** The browsers that journeys run in. */
export type EngineName = 'Chromium' | 'Firefox' | 'WebKit'

/** One tab of a browser, as far as journeys need it. Every call waits until it can be done, or fails after some seconds. */
export interface Tab {
  open(url: string): Promise<void>
  /** Clicks a link, a button or the label of a box, by its text without icons. */
  press(text: string): Promise<void>
  /** Replaces the text of a field, by the beginning of its label. */
  fill(label: string, text: string): Promise<void>
  /** The text of the page that can be seen. */
  text(): Promise<string>
  address(): Promise<string>
  /** The whole page, as PNG. */
  picture(): Promise<Buffer>
  back(): Promise<void>
  forgetCookie(name: string): Promise<void>
}

/** A profile of a browser: its tabs share cookies, with no other profile. */
export interface Profile extends AsyncDisposable {
  /** Whether its authenticator consents to a login that the page offers before a button is pressed. */
  readonly consentsUnasked?: boolean
  newTab(): Promise<Tab>
}

/** What a user has set in the browser. */
export interface Settings {
  readonly blocksCookies?: boolean
  readonly blocksScripts?: boolean
  /** The width of the window in pixels, where the engine can set it. Default: a desktop's. */
  readonly width?: number | undefined
  /** Whether the device has an authenticator that verifies its user. */
  readonly hasPasskeys?: boolean
}

/** A browser that journeys run in. */
export interface Engine extends AsyncDisposable {
  open(settings?: Settings): Promise<Profile>
}

/** The time that a page, a field or a text has to appear. */
export const WAIT_MILLISECONDS = limit(30)

/** Where a browser is, as XPath, which every driver understands. */
export const places = {
  /** A label counts where no link or button has the text. */
  pressable: (text: string) => {
    const isNamed = `[(text()|self::*)[normalize-space()=${quote(text)}]]`
    const control = `//*[self::a or self::button]${isNamed}`
    return `${control} | //label[not(${control})]${isNamed}`
  },
  field: (label: string) =>
    `//*[(self::input and not(@type="hidden")) or self::textarea or self::select]` +
    `[@id=//label[starts-with(normalize-space(), ${quote(label)})]/@for` +
    ` or ancestor::label[starts-with(normalize-space(), ${quote(label)})]]`,
}

function quote(text: string): string {
  if (text.includes('"')) throw new Error(`XPath has no way to write ${text}.`)
  return `"${text}"`
}

/** Asks again until there is an answer, or the time is over; then the last error is thrown. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + WAIT_MILLISECONDS
  let cause: unknown
  while (Date.now() < end) {
    try {
      const answer = await ask()
      if (answer !== undefined) return answer
    } catch (error) {
      cause = error
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`In ${WAIT_MILLISECONDS / 1_000} s there was no ${what}.`, { cause })
}
