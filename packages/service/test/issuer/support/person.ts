import type { Browser, Page } from './browser.ts'
import { codeOf, hasCode, mailedCode } from './factors.ts'
import { optionsOn, type VirtualKey } from './keys.ts'
import type { startWithProvider } from './social.ts'
import { answerOf } from './social.ts'
import { moveTime } from './token-endpoint.ts'

type World = Pick<
  Awaited<ReturnType<typeof startWithProvider>>,
  'issuer' | 'provider' | 'connection' | 'app'
>

/** A person at a browser, and everything that the person could log in with. */
export interface Person {
  browser: Browser
  /** Addresses whose mail the person reads. */
  addresses: string[]
  passwords: string[]
  keys: VirtualKey[]
  /** Of authenticator apps. */
  seeds: string[]
  /** Of accounts at the provider. */
  subjects: string[]
}

const secondSteps = ['totp_app', 'totp_email', 'hardware'] as const

const isAt = ({ html }: Page, kind: string) => html.includes(`name="kind" value="${kind}"`)

/**
 * Tries to log in with everything that the person has, one thing after the other.
 *
 * @param open - Opens the page that asks for a login.
 * @param known - Addresses that the person knows, of mailboxes that may be another's.
 * @returns Where the first login that worked leads; `undefined`: none did.
 */
export async function tryAll(
  { issuer, provider, connection }: World,
  person: Person,
  open: (browser: Browser) => Promise<Page>,
  known: readonly string[] = person.addresses,
): Promise<Page | undefined> {
  const { browser, passwords, keys, subjects } = person
  const isIn = (page: Page) => hasCode(page) || !/\/(login|oidc)\b/.test(new URL(page.url).pathname)
  const first = await open(browser)
  if (isIn(first)) return first

  const starts: ((form: Page) => Promise<Page>)[] = []
  for (const email of known) {
    for (const password of passwords) {
      starts.push((form) => browser.submit(form, { email, password }))
    }
  }
  for (const key of keys) {
    starts.push((form) => answerBy(issuer, browser, form, key))
  }
  for (const sub of subjects) {
    starts.push(async (form) => {
      provider.user = { sub, email: '' }
      return browser.get(await answerOf(await browser.submit(form, { connection: connection.id })))
    })
  }
  for (const start of starts) {
    const form = await open(browser)
    if (isIn(form)) return form
    // A login under way stands at its second step.
    const login = form.html.includes('name="password"') ? form : await restart(browser, form)
    const page = await giveSecondStep(issuer, person, await start(login))
    if (isIn(page)) return page
  }
  return undefined
}

function restart(browser: Browser, { url }: Page): Promise<Page> {
  return browser.get(`${url.replace(/\/(factor|enrol)\b/, '')}&start=login`)
}

async function giveSecondStep(
  issuer: World['issuer'],
  { browser, addresses, keys, seeds }: Person,
  start: Page,
): Promise<Page> {
  let page = start
  for (const kind of secondSteps) {
    if (!secondSteps.some((one) => isAt(page, one))) return page
    const [, href] = new RegExp(`href="([^"]*kind=${kind})"`).exec(page.html) ?? []
    if (href && !isAt(page, kind)) page = await browser.get(href.replaceAll('&amp;', '&'))
    if (!isAt(page, kind)) continue
    if (kind === 'totp_app') {
      for (const seed of seeds) {
        moveTime(30)
        if (isAt(page, kind)) page = await browser.submit(page, { code: codeOf(seed) })
      }
    } else if (kind === 'hardware') {
      for (const key of keys) {
        if (!isAt(page, kind)) break
        page = await answerBy(issuer, browser, page, key)
      }
    } else {
      page = await browser.submit(page, { step: 'send' })
      const [mail] = await issuer.mails()
      if (addresses.includes(mail?.to ?? '')) {
        page = await browser.submit(page, { code: await mailedCode(issuer) })
      }
    }
  }
  return page
}

/** Answers with a key, where the key has something to say: one of a second step alone does not know whose it is. */
async function answerBy(
  { url }: World['issuer'],
  browser: Browser,
  page: Page,
  key: VirtualKey,
): Promise<Page> {
  let credential: string
  try {
    credential = key.get(optionsOn(page), url)
  } catch {
    return page
  }
  return browser.submit(page, { credential })
}
