import type { Browser, Page } from './browser.ts'
import type { TestIssuer } from './issuer.ts'
import { optionsOn, type VirtualKey } from './keys.ts'

/**
 * Adds a key on the account page as a second step, by a browser that makes a passkey of it all the same: the key names its
 * user, and the browser says so.
 */
export async function enrolPasskeyOf(
  issuer: TestIssuer,
  browser: Browser,
  key: VirtualKey,
): Promise<Page> {
  const page = await browser.get('/account/security/add?kind=hardware')
  const asked = optionsOn(page, 'second')
  const options = { ...asked, authenticatorSelection: { residentKey: 'required' } }
  const credential = key.create(options, issuer.url)
  return browser.submit(page, { credential, use: 'second', name: '' })
}
