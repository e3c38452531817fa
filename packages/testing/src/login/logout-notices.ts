import assert from 'node:assert/strict'
import type { LoginCase, LoginSite } from './bench.ts'
import type { Answer } from './visitor.ts'

export const logoutNotices: readonly LoginCase[] = [
  [
    'a logout notice of the provider ends the sessions of its user, and of no other',
    async ({ open, provider, users }) => {
      const site = await open()
      const ada = await site.user()
      const { sub } = users.first
      provider.user = users.second
      const bob = await site.user()
      const { status } = await notify(site, provider.logoutToken({ sub }))
      assert.ok(status === 200 || status === 204, `the notice is answered ${status}`)
      assert.equal(await ada.isLoggedIn(), false)
      assert.ok(await bob.isLoggedIn())
    },
  ],
  [
    'a forged logout notice ends nothing',
    async ({ open, provider }) => {
      const site = await open()
      const ada = await site.user()
      const { sub } = provider.user
      const good = provider.logoutToken({ sub })
      const [header = '', claims = ''] = good.split('.')
      const none = Buffer.from('{"alg":"none","typ":"logout+jwt"}').toString('base64url')
      const forged = [
        `${header}.${claims}.`,
        `${none}.${claims}.`,
        `${header}.${claims}.${'A'.repeat(342)}`,
        provider.logoutToken({ sub, iss: 'https://other.example' }),
        provider.logoutToken({ sub, aud: 'another-client' }),
        provider.logoutToken({ sub, events: undefined }),
        provider.logoutToken({ sub, nonce: 'a-nonce' }),
        provider.logoutToken({ sub, iat: 1_000_000_000, exp: 1_000_000_100 }),
        'this-is-not-a-jwt',
        '',
      ]
      for (const token of forged) {
        const { status } = await notify(site, token)
        assert.ok(status >= 400 && status < 500, `answered ${status}`)
      }
      assert.ok(await ada.isLoggedIn())
    },
  ],
  [
    'a logout notice that is sent again does not end the next login',
    async ({ open, provider }) => {
      const site = await open()
      await site.user()
      const notice = provider.logoutToken({ sub: provider.user.sub })
      await notify(site, notice)
      const ada = await site.user()
      await notify(site, notice)
      assert.ok(await ada.isLoggedIn())
    },
  ],
]

function notify({ visitor, paths }: LoginSite, token: string): Promise<Answer> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ logout_token: token }).toString()
  return visitor().send('POST', String(paths.backchannelLogoutPath), headers, body)
}
