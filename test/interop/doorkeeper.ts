import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import type { ApplicationUrls, Candidate, RunningProvider } from './candidate.ts'
import { daemonFolder, startDaemon } from './daemon.ts'
import { debianVersion } from './versions.ts'

/** As GitLab makes them. */
const SECRET = 'gloas-a1b2c3d4e5f6-client.secret_of-the-application'
const USER = {
  username: 'ada',
  password: 'correct horse battery',
  email: 'ada@example.com',
  name: 'Ada',
}

/** A Rails application with Doorkeeper and its OpenID Connect extension. */
export const doorkeeperCandidate: Candidate = {
  provider: 'Doorkeeper',
  version: () => debianVersion('ruby-doorkeeper'),
  aptPackage: 'ruby-doorkeeper-openid-connect ruby-rails ruby-sqlite3 puma',
  remarks: 'With `doorkeeper-openid_connect`, as in GitLab. A revoked token ends the session.',
  lacks: ['logout', 'back-channel'],
  start,
}

async function start(application: ApplicationUrls): Promise<RunningProvider> {
  const folder = daemonFolder()
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(
    join(folder, 'signing.pem'),
    privateKey.export({ type: 'pkcs1', format: 'pem' }) as string,
  )
  const daemon = await startDaemon({
    command: '/usr/bin/ruby',
    args: [
      join(import.meta.dirname, 'doorkeeper/provider.rb'),
      String(port),
      JSON.stringify({ redirectUri: application.redirectUri, secret: SECRET }),
      JSON.stringify(USER),
    ],
    folder,
    readyAt: origin,
  })
  return {
    options: { issuer: origin, clientId: 'app', clientSecret: SECRET },
    email: USER.email,
    async logIn(visitor) {
      await visitor.submit({ username: USER.username, password: USER.password })
      if (visitor.sees('client_id')) await visitor.submit({ response_type: 'code' })
    },
    async revokeTokens(visitor) {
      await visitor.send(`${origin}/revoke-all`, { method: 'POST' })
    },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}
