import { TestingError } from './errors.ts'
import { asksForCode, refused } from './identity/log-in.ts'
import { type KnownUser, secondStepOf } from './identity/users.ts'

/** The methods of a Playwright page that are used. */
export interface TestPage {
  goto(url: string): Promise<unknown>
  url(): string
  content(): Promise<string>
  fill(selector: string, value: string): Promise<void>
  click(selector: string): Promise<void>
  waitForEvent(event: 'domcontentloaded'): Promise<unknown>
  waitForLoadState(): Promise<void>
}

/**
 * Opens a page of an application in a browser, and logs in on the login page to which it redirects.
 * Resolves at the page to which the application returns the user, usually `url`.
 *
 * @param page - A page of Playwright.
 * @param url - A page for logged-in users, or the login route.
 * @param user - A user of an identity that was started with `listen: true`.
 * @throws {@link TestingError} with the page at which the login stopped.
 */
export async function logInPage(page: TestPage, url: string, user: KnownUser): Promise<void> {
  const { issuer } = user.identity
  if (issuer.startsWith('https:')) {
    throw new TestingError(
      'LATCHKEY_TEST_NO_SOCKET',
      'A browser reaches an identity by its port only: startIdentity({ listen: true }).',
    )
  }
  await page.goto(url)
  if (new URL(page.url()).origin !== issuer) {
    throw new TestingError(
      'LATCHKEY_TEST_NO_LOGIN',
      `${url} led to ${page.url()} and not to the login page at ${issuer}; is it behind ` +
        'requireUser(), and is no user logged in yet?',
    )
  }
  await page.fill('input[name="email"]', user.email)
  await page.fill('input[name="password"]', user.password)
  await submit(page)
  const code = asksForCode(await page.content()) ? await secondStepOf(user) : undefined
  if (code !== undefined) {
    await page.fill('input[name="code"]', code)
    await submit(page)
  }
  if (new URL(page.url()).origin === issuer) throw refused(await page.content(), user)
}

async function submit(page: TestPage): Promise<void> {
  const answered = page.waitForEvent('domcontentloaded')
  await Promise.all([answered, page.click('main form button[type="submit"]')])
  await page.waitForLoadState()
}
