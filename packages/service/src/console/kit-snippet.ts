/** An application, as far as the kit is set up for it. */
export interface SnippetInput {
  readonly issuer: string
  readonly clientId: string
  /** `undefined` while the secret is not shown. */
  readonly clientSecret: string | undefined
  readonly loginUrl: string
  readonly redirectUrls: readonly string[]
}

/** The environment and the code by which an Express application logs users in at the tenant. */
export function kitSnippet(input: SnippetInput): { environment: string; code: string } {
  const { issuer, clientId, clientSecret = '<the client secret>' } = input
  const callback = URL.parse(input.redirectUrls[0] ?? '')
  const baseUrl = callback?.origin ?? 'http://localhost:3000'
  return {
    environment: [
      `LATCHKEY_ISSUER=${issuer}`,
      `LATCHKEY_CLIENT_ID=${clientId}`,
      `LATCHKEY_CLIENT_SECRET=${clientSecret}`,
      `LATCHKEY_BASE_URL=${baseUrl}`,
      '# 32 random bytes, such as: openssl rand -base64 32',
      'LATCHKEY_SESSION_SECRET=<a secret of your own>',
    ].join('\n'),
    code: `import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express from 'express'

export const app = express()

app.use(createAuthRouter(${optionsOf(input, baseUrl)}))

app.get('/account', requireUser(), (req, res) => {
  res.json(getUser(req))
})`,
  }
}

/** The options beside the environment: the routes that have other paths than the kit's. */
function optionsOf({ loginUrl, redirectUrls }: SnippetInput, baseUrl: string): string {
  const login = URL.parse(loginUrl)
  const paths = {
    login: login?.origin === baseUrl ? login.pathname : '/login',
    callback: URL.parse(redirectUrls[0] ?? '')?.pathname ?? '/callback',
  }
  const own = Object.entries(paths)
    .filter(([name, path]) => path !== `/${name}` && path !== '/')
    .map(([name, path]) => `${name}: ${literal(path)}`)
  return own.length === 0 ? '' : `{ routes: { ${own.join(', ')} } }`
}

/** A path of a URL has no backslash, but may have a quote. */
function literal(path: string): string {
  return `'${path.replace(/'/g, '%27')}'`
}
