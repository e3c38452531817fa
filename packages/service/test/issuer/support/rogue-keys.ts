import { keyCredential } from '../../../src/domain/factors/keys.ts'
import { judgeNewKey, userHandle } from '../../../src/domain/factors/webauthn.ts'
import { addCredential } from '../../../src/domain/ways/account-changes.ts'
import type { User } from '../../../src/store/records.ts'
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

/** Gives the user such a key, without a page. */
export async function giveRogueKey(
  { scope, url }: TestIssuer,
  user: User,
  key: VirtualKey,
): Promise<void> {
  const rpId = new URL(url).hostname
  const created = key.create(
    {
      challenge: 'AAAA',
      rp: { id: rpId },
      user: { id: userHandle(user) },
      authenticatorSelection: { residentKey: 'required' },
    },
    url,
  )
  const judged = await judgeNewKey({ challenge: 'AAAA', origin: url, rpId }, created, 'second_step')
  if (judged.kind === 'refused') throw new Error(judged.reason)
  await addCredential(scope, keyCredential(scope, user, judged.facts, ''))
}
