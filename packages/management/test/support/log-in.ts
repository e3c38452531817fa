import { createHash } from 'node:crypto'
import { createManagementClient } from '@latchkey/management'
import { createBrowser } from '../../../service/test/issuer/support/browser.ts'
import { createLoopbackFetch } from '../../../service/test/issuer/support/loopback.ts'

/** Where the API is, and the domain at which its tenant issues. */
export interface Where {
  url: string
  key: string
  tenantId: string
  domain: string
}

/**
 * Logs in at the pages of the issuer, in a browser of its own. Tells where the browser was sent in
 * the end: to the application with a code, or nowhere.
 */
export async function createLogIn({ url, key, tenantId, domain }: Where) {
  const applications = createManagementClient({ baseUrl: url, apiKey: key }).applications(tenantId)
  const redirect = 'http://localhost:3000/callback'
  const { id } = await applications.create({ name: 'Shop', redirect_urls: [redirect] })
  const fetch = createLoopbackFetch()
  return async (email: string, password: string): Promise<string> => {
    const browser = createBrowser({ url: `http://${domain}`, fetch })
    const query = new URLSearchParams({
      client_id: id,
      redirect_uri: redirect,
      response_type: 'code',
      scope: 'openid email profile',
      state: 'state-0123456789',
      nonce: 'nonce-0123456789',
      code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const form = await browser.get(`http://${domain}/oidc/auth?${query}`)
    const last = await browser.submit(form, { email, password })
    return last.location ?? ''
  }
}
