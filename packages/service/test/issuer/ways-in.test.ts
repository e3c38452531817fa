import { expect, test } from 'vitest'
import { createBrowser, type Page } from './support/browser.ts'
import { createClient } from './support/client.ts'
import { instantPasswords } from './support/instant-passwords.ts'
import { startIssuer } from './support/issuer.ts'

/** The buttons of a page that begin a login, in their order. `*`: the main one. */
function waysOn({ html }: Page): string[] {
  const known: Record<string, string> = {
    'Log in': 'password',
    'Send the code': 'mail',
    'Log in with a passkey': 'passkey',
  }
  return [...html.matchAll(/<button([^>]*)>([^<]*)<\/button>/g)].map(
    ([, attributes = '', text = '']) =>
      `${known[text] ?? text}${attributes.includes('class="quiet"') ? '' : '*'}`,
  )
}

test.for([
  [{ allowPasswords: true }, ['password*']],
  [{ allowPasswords: true, allowTotpEmail: true }, ['password*']],
  [{ allowPasswords: true, allowHardware: true }, ['password*', 'passkey']],
  [{ allowPasswords: false, allowTotpEmail: true }, ['mail*']],
  [{ allowPasswords: false, allowTotpEmail: true, allowHardware: true }, ['mail*', 'passkey']],
  [{ allowPasswords: false, allowHardware: true }, ['passkey*']],
  [{ allowPasswords: false }, []],
] as const)(
  'with %o the login page offers %o, the main way first, and links to nothing else',
  async ([settings, ways]) => {
    await using issuer = await startIssuer({ settings, passwords: instantPasswords })
    const app = await createClient(issuer)

    const page = await createBrowser(issuer).get((await app.begin()).url)

    expect(waysOn(page)).toEqual(ways)
    expect(page.html.includes('/reset')).toBe(settings.allowPasswords)
    expect(page.html.includes('/signup')).toBe(settings.allowPasswords)
  },
)
