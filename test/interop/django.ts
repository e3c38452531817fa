import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import type { ApplicationUrls, Candidate, RunningProvider } from './candidate.ts'
import { daemonFolder, startDaemon } from './daemon.ts'
import { debianVersion } from './versions.ts'

const SECRET = 'a-client.secret_of-the-application'
const USER = {
  username: 'ada',
  password: 'correct horse battery',
  email: 'ada@example.com',
  name: 'Ada',
}

/** A Django project with django-oauth-toolkit. */
export const djangoCandidate: Candidate = {
  provider: 'django-oauth-toolkit',
  version: () => debianVersion('python3-django-oauth-toolkit'),
  aptPackage: 'python3-django-oauth-toolkit',
  remarks: 'Choose RS256 at the application; claims come from the validator of the project.',
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
    // Debian's packages are seen by Debian's Python alone.
    command: '/usr/bin/python3',
    args: [
      join(import.meta.dirname, 'django/provider.py'),
      String(port),
      JSON.stringify({ redirectUri: application.redirectUri, secret: SECRET }),
      JSON.stringify(USER),
    ],
    folder,
    readyAt: origin,
  })
  return {
    options: { issuer: `${origin}/o`, clientId: 'app', clientSecret: SECRET },
    email: USER.email,
    async logIn(visitor) {
      await visitor.submit({ username: USER.username, password: USER.password })
      if (visitor.sees('client_id')) await visitor.submit({}, 'allow')
    },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}
