import { registerHooks } from 'node:module'

/** Tells when the library for passkeys is loaded, in a process of its own. */

let isLoaded = false
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    isLoaded ||= resolved.url.includes('@simplewebauthn')
    return resolved
  },
})

const { createIdentityService } = await import('../../../src/service.ts')
const { createBrowser } = await import('./browser.ts')
const { createVirtualKey, optionsOn } = await import('./keys.ts')

const SECURITY = '/account/security'
const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const seen: Record<string, boolean> = {}
await using service = await createIdentityService({})
await service.admin.seed({
  tenants: [
    {
      settings: { domain: 'acme.test', allow_hardware: true },
      users: [
        {
          profile: { email: ada.email, email_verified: true },
          password: { alg: 'plain', hash: ada.password },
        },
      ],
    },
  ],
})
const url = 'https://acme.test'
const browser = createBrowser({ url, fetch: service.fetch })
const login = await browser.get(SECURITY)
await browser.submit(login, { credential: '{}' })
seen.afterGarbage = isLoaded
await browser.submit(await browser.get(login.url), ada)
const form = await browser.get(`${SECURITY}/add`)
seen.afterThePages = isLoaded
const credential = createVirtualKey().create(optionsOn(form, 'passkey'), url)
const added = await browser.submit(form, { credential, use: 'passkey' })
seen.afterAKey = isLoaded
seen.isAdded = added.html.includes('Save your recovery codes')
process.stdout.write(JSON.stringify(seen))
