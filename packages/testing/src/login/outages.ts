import assert from 'node:assert/strict'
import type { LoginCase } from './bench.ts'

const NAMES = {
  down: 'down',
  hanging: 'silent',
  dripping: 'endlessly slow',
  html: 'answering with a web page',
  huge: 'sending without end',
} as const

export const outages: readonly LoginCase[] = [
  [
    'while the provider is down a login is answered with an error, and works once it is back',
    async ({ open, provider }) => {
      const { visitor, paths } = await open()
      const ada = visitor()
      provider.fault = 'discovery: down'
      const { status } = await ada.open(paths.loginPath)
      assert.ok(status >= 500, `answered ${status}`)
      provider.fault = undefined
      await ada.logIn()
      assert.ok(await ada.isLoggedIn())
    },
  ],
  ...(['down', 'hanging', 'dripping', 'html', 'huge'] as const).map(
    (kind): LoginCase => [
      `a token endpoint that is ${NAMES[kind]} logs no user in, and the visitor hears of it in time`,
      async ({ open, provider }) => {
        const ada = (await open()).visitor()
        const callback = await ada.begin()
        provider.fault = `token: ${kind}`
        const { status } = await ada.open(callback)
        assert.ok(status >= 400, `answered ${status}`)
        assert.equal(await ada.isLoggedIn(), false)
      },
    ],
  ),
  [
    'while the keys of the provider cannot be fetched, no ID token is accepted',
    async ({ open, provider }) => {
      const ada = (await open()).visitor()
      const callback = await ada.begin()
      provider.fault = 'jwks: down'
      assert.ok((await ada.open(callback)).status >= 400)
      assert.equal(await ada.isLoggedIn(), false)
    },
  ],
  [
    'keys that the provider has changed are fetched automatically',
    async ({ open, provider }) => {
      const { user } = await open()
      await user()
      provider.rotateKey()
      await user()
    },
  ],
  [
    'while the provider is down users stay logged in',
    async ({ open, provider }) => {
      const { user } = await open()
      const ada = await user()
      await provider.stop()
      try {
        assert.ok(await ada.isLoggedIn())
      } finally {
        await provider.start()
      }
    },
  ],
]
