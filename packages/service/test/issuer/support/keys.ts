import {
  createVirtualKey,
  type KeyCreation,
  type KeyRequest,
  type VirtualKey,
} from '../../../../testing/src/identity/virtual-key.ts'
import { keyCredential } from '../../../src/domain/factors/keys.ts'
import { judgeNewKey, userHandle } from '../../../src/domain/factors/webauthn.ts'
import { addCredential } from '../../../src/domain/ways/account-changes.ts'
import type { User } from '../../../src/store/records.ts'
import type { Browser, Page } from './browser.ts'
import type { TestIssuer } from './issuer.ts'

export { createVirtualKey, type VirtualKey }

/** Where keys of the test tenant are good. */
export const RP_ID = 'acme.localhost'

/** What a page asks a key, by the value of the button. */
export function optionsOn({ html }: Page, value?: string): KeyCreation & KeyRequest {
  const buttons = [...html.matchAll(/<button[^>]*data-options="[^"]*"[^>]*>/g)].map(([tag]) => tag)
  const button = buttons.find((tag) => value === undefined || tag.includes(`value="${value}"`))
  const [, text] = /data-options="([^"]*)"/.exec(button ?? '') ?? []
  if (text === undefined)
    throw new Error(`No question to a key on: ${html.slice(html.indexOf('<main'))}`)
  return JSON.parse(
    text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
  )
}

/** Answers the question to a key on a page. */
export function answer(issuer: TestIssuer, browser: Browser, page: Page, key: VirtualKey) {
  return browser.submit(page, { credential: key.get(optionsOn(page), issuer.url) })
}

/** Adds a key on the page that offers it. */
export function addOn(
  issuer: TestIssuer,
  browser: Browser,
  page: Page,
  key: VirtualKey,
  { use = 'passkey', name = '' } = {},
) {
  const credential = key.create(optionsOn(page, use), issuer.url)
  return browser.submit(page, { credential, use, name })
}

/**
 * Gives the user a key, as it was enrolled long ago.
 *
 * @param origin - Of the tenant at that time. Default: where it is.
 */
export async function giveKey(
  { scope, url }: TestIssuer,
  user: User,
  key: VirtualKey,
  use: 'passkey' | 'second' = 'passkey',
  origin = url,
): Promise<void> {
  const rpId = new URL(origin).hostname
  const ceremony = { challenge: 'AAAA', origin, rpId }
  const residentKey = use === 'passkey' ? 'required' : 'discouraged'
  const created = key.create(
    {
      challenge: 'AAAA',
      rp: { id: rpId },
      user: { id: userHandle(user) },
      authenticatorSelection: { residentKey },
    },
    origin,
  )
  const purpose = use === 'passkey' ? 'passkey' : 'second_step'
  const judged = await judgeNewKey(ceremony, created, purpose)
  if (judged.kind === 'refused') throw new Error(judged.reason)
  const credential = keyCredential(scope, user, judged.facts, '')
  const added = await addCredential(scope, credential)
  if (added === 'refused') throw new Error('It is there.')
}
