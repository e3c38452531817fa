import { LatchkeyError, requireUser } from '@latchkey/express'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

// The shapes in which token endpoints in use report errors, and what visitors and developers learn from each.

const errors: LatchkeyError[] = []
let site: Site
type TokenAnswer = NonNullable<Site['provider']['tokenAnswer']>

beforeAll(async () => {
  site = await startSite(
    (app) => {
      app.get('/refresh', requireUser(), async (req, res) => {
        const refused = await req.auth.accessToken({ force: true }).catch((error) => error)
        if (refused instanceof LatchkeyError) errors.push(refused)
        res.send()
      })
      app.get('/', (req, res) => void res.send(req.auth.isAuthenticated ? 'in' : 'out'))
    },
    { hooks: { onError: (error) => void errors.push(error) } },
  )
})
afterEach(() => {
  Object.assign(site.provider, { fault: undefined, tokenAnswer: undefined })
  errors.length = 0
})
afterAll(() => site.close())

async function logIn(): Promise<Browser> {
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  return browser
}

/** Resolves to the home page after a refresh that is answered so. */
async function refreshWith(tokenAnswer: TokenAnswer): Promise<string> {
  const browser = await logIn()
  site.provider.tokenAnswer = tokenAnswer
  await browser.open(`${site.url}/refresh`)
  site.provider.tokenAnswer = undefined
  return (await browser.open(site.url)).text
}

describe('a refresh', () => {
  test.each([
    ['invalid_grant', { status: 400, body: { error: 'invalid_grant' } }],
    ['interaction_required', { status: 400, body: { error: 'interaction_required' } }],
    ['login_required', { status: 400, body: { error: 'login_required' } }],
    ['consent_required', { status: 400, body: { error: 'consent_required' } }],
    ['account_selection_required', { status: 400, body: { error: 'account_selection_required' } }],
    [
      'bad_refresh_token with 200, as of GitHub',
      { status: 200, body: { error: 'bad_refresh_token' } },
    ],
    [
      'invalid_refresh_token with 200, as of Slack',
      { status: 200, body: { ok: false, error: 'invalid_refresh_token' } },
    ],
  ])('that is refused with %s ends the session: the user has to log in', async (_name, answer) => {
    expect(await refreshWith(answer)).toBe('out')
    expect(errors.map(({ code }) => code)).toEqual(['LATCHKEY_REFRESH_REJECTED'])
  })

  test.each([
    ['temporarily_unavailable', { status: 400, body: { error: 'temporarily_unavailable' } }],
    ['429', { status: 429, body: {}, headers: { 'retry-after': '7' } }],
    ['a page', { status: 200, body: 'maintenance' }],
  ])('that is answered with %s keeps the session', async (_name, answer) => {
    expect(await refreshWith(answer)).toBe('in')
    expect(errors.map(({ code }) => code)).toEqual(['LATCHKEY_REFRESH_UNAVAILABLE'])
  })
})

describe('a code', () => {
  test.each([
    [
      'GitHub',
      {
        status: 200,
        body: {
          error: 'bad_verification_code',
          error_description: 'The code is incorrect or expired.',
        },
      },
      'refused the code with "invalid_grant" (bad_verification_code: The code is incorrect or expired.)',
    ],
    [
      'Slack',
      { status: 200, body: { ok: false, error: 'invalid_code' } },
      'refused the code with "invalid_grant" (invalid_code)',
    ],
    [
      'Facebook',
      {
        status: 400,
        body: {
          error: {
            message: 'Invalid verification code format.',
            type: 'OAuthException',
            code: 100,
          },
        },
      },
      'refused the code with "OAuthException" (Invalid verification code format.)',
    ],
    [
      'Twitch',
      { status: 400, body: { status: 400, message: 'Invalid authorization code' } },
      'refused the code with "status 400" (Invalid authorization code)',
    ],
  ])('that %s refuses is reported with its own words', async (_name, answer, sentence) => {
    site.provider.tokenAnswer = answer
    await createBrowser().open(`${site.url}/login`)
    expect(errors.map(({ code }) => code)).toEqual(['LATCHKEY_CODE_REFUSED'])
    expect(errors[0]?.message).toContain(sentence)
  })

  test.each([
    ['GitHub', 'incorrect_client_credentials'],
    ['Slack', 'bad_client_secret'],
  ])(
    'that %s refuses for the client secret is a fault of the registration',
    async (_name, error) => {
      site.provider.tokenAnswer = { status: 200, body: { error } }
      const { response } = await createBrowser().open(`${site.url}/login`)
      expect(response.status).toBe(500)
      expect(errors[0]?.remedy).toMatch(/check "clientSecret"/i)
    },
  )

  test('that meets a rate limit is no fault of the visitor: 503, and when to come back', async () => {
    site.provider.tokenAnswer = { status: 429, body: {}, headers: { 'retry-after': '30' } }
    const { response } = await createBrowser().open(`${site.url}/login`)
    expect(response.status).toBe(503)
    expect(errors[0]?.code).toBe('LATCHKEY_PROVIDER_UNAVAILABLE')
    expect(errors[0]?.message).toContain('It takes requests again in 30 s.')
  })

  test('is redeemed where the scope of the answer is a list, as of Twitch', async () => {
    site.provider.fault = 'token response with a list of scopes'
    const browser = await logIn()
    expect((await browser.open(site.url)).text).toBe('in')
  })
})
