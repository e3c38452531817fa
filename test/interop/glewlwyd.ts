import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freePort } from '../support/free-port.ts'
import type { ApplicationUrls, Candidate, RunningProvider } from './candidate.ts'
import { daemonFolder, startDaemon } from './daemon.ts'
import { debianVersion } from './versions.ts'
import { createVisitor, type Visitor } from './visitor.ts'

const SECRET = 'a-client.secret_of-the-application'
const USER = { username: 'ada', password: 'correct horse battery' }
const SESSION_COOKIE = 'GLEWLWYD2_OIDC_SID'
const SCOPES = ['openid', 'profile', 'email']

/** Glewlwyd with its OpenID Connect plugin, on SQLite. */
export const glewlwydCandidate: Candidate = {
  provider: 'Glewlwyd',
  version: () => debianVersion('glewlwyd'),
  aptPackage: 'glewlwyd',
  remarks: 'The issuer is that of the plugin: `/api/oidc`.',
  start,
}

async function start(application: ApplicationUrls): Promise<RunningProvider> {
  const folder = daemonFolder()
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const database = join(folder, 'glewlwyd.db')
  createDatabase(database)
  writeFileSync(join(folder, 'glewlwyd.conf'), configuration(port, database))
  const daemon = await startDaemon({
    command: 'glewlwyd',
    args: [`--config-file=${join(folder, 'glewlwyd.conf')}`],
    folder,
    readyAt: `${origin}/config`,
  })
  await setUp(origin, application)
  return {
    options: { issuer: `${origin}/api/oidc`, clientId: 'app', clientSecret: SECRET },
    email: 'ada@example.com',
    async logIn(visitor) {
      const callback = visitor.url.searchParams.get('callback_url') ?? ''
      // What the scripts of its login page do: the password, the consent, and back.
      await send(visitor, 'POST', `${origin}/api/auth`, USER)
      await send(visitor, 'PUT', `${origin}/api/auth/grant/app`, { scope: SCOPES.join(' ') })
      await visitor.open(`${callback}&g_continue`)
    },
    async endSession(visitor) {
      await endOf(visitor, visitor.cookie(SESSION_COOKIE))
    },
    async confirmLogout(visitor) {
      const { searchParams } = visitor.url
      await endOf(visitor, searchParams.get('sid'))
      await visitor.open(searchParams.get('callback_url') ?? '')
    },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }

  async function endOf(visitor: Visitor, sid: string | null | undefined): Promise<void> {
    await send(visitor, 'DELETE', `${origin}/api/oidc/session/${sid}/`)
  }
}

function createDatabase(path: string): void {
  const database = new DatabaseSync(path)
  database.exec(readFileSync('/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3', 'utf8'))
  // Clients of its own making have one address after the log-out, and the plugin reads a list.
  database.exec(`UPDATE g_client_module_instance SET gcmi_parameters =
    json_set(gcmi_parameters, '$."data-format".post_logout_redirect_uris',
      json('{"multiple":true,"read":true,"write":true}'))`)
  database.close()
}

function configuration(port: number, database: string): string {
  const modules = '/usr/lib/glewlwyd'
  return `port=${port}
bind_address="127.0.0.1"
external_url="http://127.0.0.1:${port}"
login_url="login.html"
api_prefix="api"
log_mode="console"
log_level="INFO"
cookie_secure=0
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="${modules}/user"
client_module_path="${modules}/client"
user_auth_scheme_module_path="${modules}/scheme"
plugin_module_path="${modules}/plugin"
hash_algorithm="SHA512"
database = { type = "sqlite3" path = "${database}" }
`
}

/** Adds the plugin, the client and the user, as the administration page does. */
async function setUp(origin: string, application: ApplicationUrls): Promise<void> {
  const admin = createVisitor()
  const add = (path: string, body: object): Promise<void> =>
    send(admin, 'POST', `${origin}/api/${path}`, body)
  await add('auth', { username: 'admin', password: 'password' })
  for (const name of ['profile', 'email']) {
    await add('scope', { name, password_required: false, scheme: {} })
  }
  await add('mod/plugin', {
    module: 'oidc',
    name: 'oidc',
    display_name: 'OpenID Connect',
    enabled: true,
    parameters: pluginParameters(origin),
  })
  await add('client', {
    client_id: 'app',
    name: 'The application',
    enabled: true,
    confidential: true,
    client_secret: SECRET,
    redirect_uri: [application.redirectUri],
    post_logout_redirect_uris: [application.postLogoutRedirectUri],
    backchannel_logout_uri: application.backchannelLogoutUri,
    backchannel_logout_session_required: '1',
    authorization_type: ['code', 'refresh_token'],
    token_endpoint_auth_method: ['client_secret_basic', 'client_secret_post'],
    scope: [],
  })
  await add('user', {
    ...USER,
    name: 'Ada',
    email: 'ada@example.com',
    enabled: true,
    scope: ['g_profile', ...SCOPES],
  })
}

function pluginParameters(origin: string): object {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return {
    iss: `${origin}/api/oidc`,
    'jwt-type': 'rsa',
    'jwt-key-size': '256',
    key: privateKey,
    cert: publicKey,
    'access-token-duration': 3600,
    'refresh-token-duration': 1_209_600,
    'code-duration': 600,
    'refresh-token-rolling': true,
    'auth-type-code-enabled': true,
    'auth-type-refresh-enabled': true,
    'subject-type': 'public',
    'jwks-show': true,
    'allowed-scope': SCOPES,
    'name-claim': 'mandatory',
    'email-claim': 'mandatory',
    'pkce-allowed': true,
    'session-management-allowed': true,
    'back-channel-logout-allowed': true,
    'session-cookie-name': SESSION_COOKIE,
    'session-cookie-expiration': 2_419_200,
  }
}

async function send(visitor: Visitor, method: string, url: string, body?: object): Promise<void> {
  const response = await visitor.send(url, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (response.ok) return
  throw new Error(`${method} ${new URL(url).pathname}: ${response.status} ${await response.text()}`)
}
