import { execFileSync } from 'node:child_process'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { people, runExample } from '@latchkey/example-shared'

const dir = fileURLToPath(new URL('..', import.meta.url))
const require = createRequire(import.meta.url)
const environment: Record<string, string | undefined> = process.env

// `next build`, which knows no setting of the login.
execFileSync(process.execPath, [require.resolve('next/dist/bin/next'), 'build'], {
  cwd: dir,
  env: { ...environment, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
})

await runExample({
  title: 'Next.js',
  users: people.slice(0, 1),
  async createApp({ issuer, clientId, clientSecret, baseUrl, session }) {
    Object.assign(environment, {
      LATCHKEY_ISSUER: issuer,
      LATCHKEY_CLIENT_ID: clientId,
      LATCHKEY_CLIENT_SECRET: clientSecret,
      LATCHKEY_BASE_URL: baseUrl,
      LATCHKEY_SESSION_SECRET: session.secret,
    })
    const app = require('next')({ dev: false, dir, quiet: true })
    await app.prepare()
    return createServer(app.getRequestHandler() as RequestListener)
  },
})
