// For compose.try.yaml: makes what is missing of the tenant and the application by the commands of the guide "Running the service", and
// writes the settings of the application.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'

const [domain, baseUrl, file] = process.argv.slice(2)

if (!existsSync(file)) {
  const [made] = service('tenant', 'list')
  const tenant =
    made ?? service('tenant', 'create', '--domain', domain, '--company-name', 'Example')
  const key = service('key', 'create', '--name', 'set-up', '--tenant', tenant.id)
  process.env.LATCHKEY_TENANT = tenant.id
  process.env.LATCHKEY_API_KEY = key.secret
  if (latchkey('applications', 'list').length === 0)
    latchkey('applications', 'create', '--set', 'name=Example')
  latchkey('routes', 'sync', '--base-url', baseUrl)
  const [{ id, secret }] = latchkey('applications', 'list')
  service('key', 'revoke', key.id)
  const settings = {
    LATCHKEY_ISSUER: `https://${domain}`,
    LATCHKEY_BASE_URL: baseUrl,
    LATCHKEY_CLIENT_ID: id,
    LATCHKEY_CLIENT_SECRET: secret,
    LATCHKEY_SESSION_SECRET: randomBytes(32).toString('base64'),
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(file, lines.join(''), { mode: 0o600 })
}

function service(...words) {
  return run('/app/dist/cli/main.js', ...words, '--json')
}

function latchkey(...words) {
  return run('/app/node_modules/@latchkey/management/dist/cli/main.js', ...words, '--json')
}

function run(...words) {
  return JSON.parse(execFileSync(process.execPath, words))
}
