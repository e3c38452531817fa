import assert from 'node:assert/strict'
import type { LoginCase, LoginSite } from './bench.ts'
import type { Answer } from './visitor.ts'

const MARKUP = '<script>alert(1)</script>'

export const leaks: readonly LoginCase[] = [
  [
    'no page, address, header or cookie shows a token or the client secret',
    async ({ open }) => {
      const site = await open()
      for (const { status, text, headers } of await answersOf(site)) {
        const shown = `${text} ${JSON.stringify([...headers])}`
        assert.equal(secretIn(site, shown), undefined, `in an answer with ${status}`)
      }
    },
  ],
  [
    'no log line has a token or the client secret',
    async ({ open, provider }) => {
      const site = await open()
      await answersOf(site)
      provider.fault = 'id_token expired'
      await site.visitor().logIn()
      provider.fault = 'invalid_client'
      await site.visitor().logIn()
      assert.equal(secretIn(site, site.log.join('\n')), undefined, 'in the log')
    },
  ],
  [
    'no page repeats markup of its address or of the provider’s errors',
    async ({ open, provider }) => {
      const site = await open()
      const { paths } = site
      const visitor = site.visitor()
      const [callback = ''] = (await visitor.begin()).split('?')
      const markup = encodeURIComponent(MARKUP)
      const addresses = [
        ...[`${paths.loginPath}?returnTo=${markup}`, `${paths.loginPath}?${markup}=1`],
        ...[`${callback}?error=${markup}&error_description=${markup}&state=${markup}`],
        ...[`${callback}?state=${markup}&code=${markup}`, `${paths.guardedPath}?${markup}`],
        `/nowhere/${markup}`,
      ]
      for (const address of addresses) assertPlain(await visitor.open(address), address)
      provider.fault = 'error with markup'
      assertPlain(await visitor.logIn(), 'an error of the provider')
    },
  ],
  [
    'no cache may store the responses of a login',
    async ({ open }) => {
      const { visitor, paths } = await open()
      const ada = visitor()
      const begun = await ada.open(paths.loginPath)
      const ended = await ada.logIn()
      for (const { headers } of [begun, ended]) {
        assert.match(headers.get('cache-control') ?? '', /\bno-store\b/)
      }
    },
  ],
]

/**
 * The responses of a login, and then of several paths, each requested as a page and by a script.
 */
async function answersOf({ visitor, paths }: LoginSite): Promise<Answer[]> {
  const ada = visitor()
  const answers = [await ada.open(paths.loginPath), await ada.logIn()]
  for (const path of ['/', paths.guardedPath, '/session', '/nowhere']) {
    answers.push(await ada.open(path), await ada.call(path))
  }
  return answers
}

/**
 * The beginning of a token or secret that occurs in a text; `undefined` if no token or secret
 * occurs. Codes do not count, because they are used up when a page is shown.
 */
function secretIn({ provider }: LoginSite, text: string): string | undefined {
  const isToken = (secret: string): boolean => !/^[0-9a-f]{32}$/.test(secret)
  const found = provider.secrets.find((secret) => isToken(secret) && text.includes(secret))
  return found && `${found.slice(0, 12)}…`
}

function assertPlain({ text, headers }: Answer, what: string): void {
  if (!headers.get('content-type')?.includes('html')) return
  assert.doesNotMatch(text, /<script>alert|<img src=x/, what)
}
