import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import type { ApplicationUrls, Candidate, RunningProvider } from './candidate.ts'
import { daemonFolder, startDaemon } from './daemon.ts'
import { debianVersion } from './versions.ts'

const SECRET = 'a-client.secret_of-the-application'
const DEFAULTS = '/var/lib/lemonldap-ng/conf/lmConf-1.json'

/** LemonLDAP::NG: its portal with the users of its demonstration backend. */
export const lemonldapCandidate: Candidate = {
  provider: 'LemonLDAP::NG',
  version: () => debianVersion('lemonldap-ng'),
  aptPackage: 'lemonldap-ng libimage-magick-perl libstring-random-perl libemail-sender-perl',
  remarks: 'Switch "Use refresh tokens" on. The log-out ends on the page of the portal.',
  keepsVisitorAfterLogout: true,
  lacks: ['back-channel'],
  start,
}

async function start(application: ApplicationUrls): Promise<RunningProvider> {
  const folder = daemonFolder()
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  writeConfiguration(folder, origin, application)
  const daemon = await startDaemon({
    command: 'plackup',
    args: [
      ...['--host', '127.0.0.1', '--port', String(port), '--no-default-middleware'],
      ...['-MLemonldap::NG::Portal', '-e', 'Lemonldap::NG::Portal->run({})'],
    ],
    folder,
    env: { LLNG_DEFAULTCONFFILE: join(folder, 'lemonldap-ng.ini') },
    readyAt: `${origin}/.well-known/openid-configuration`,
  })
  return {
    options: {
      issuer: origin,
      clientId: 'app',
      clientSecret: SECRET,
      userinfo: 'login',
    },
    email: 'dwho@badwolf.org',
    async logIn(visitor) {
      await visitor.submit({ user: 'dwho', password: 'dwho' })
      if (visitor.sees('confirm')) await visitor.submit({}, 'confirm')
    },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}

function writeConfiguration(folder: string, origin: string, application: ApplicationUrls): void {
  for (const name of [
    'conf',
    'sessions',
    'sessions/lock',
    'psessions',
    'psessions/lock',
    'cache',
  ]) {
    mkdirSync(join(folder, name))
  }
  writeFileSync(join(folder, 'lemonldap-ng.ini'), iniOf(folder))
  const defaults = readFileSync(DEFAULTS, 'utf8').replaceAll('/var/lib/lemonldap-ng', folder)
  const configuration = { ...JSON.parse(defaults), ...configurationOf(origin, application) }
  writeFileSync(join(folder, 'conf/lmConf-1.json'), JSON.stringify(configuration))
}

function iniOf(folder: string): string {
  return `[all]
logLevel = warn
logger = Lemonldap::NG::Common::Logger::Std
[configuration]
type = File
dirName = ${folder}/conf
[portal]
staticPrefix = /static
templateDir = /usr/share/lemonldap-ng/portal/templates
languages = en
`
}

function configurationOf(origin: string, application: ApplicationUrls): object {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const option = (name: string): string => `oidcRPMetaDataOptions${name}`
  return {
    portal: `${origin}/`,
    domain: '127.0.0.1',
    securedCookie: 0,
    issuerDBOpenIDConnectActivation: 1,
    oidcServiceMetaDataIssuer: origin,
    oidcServiceAllowAuthorizationCodeFlow: 1,
    oidcServicePrivateKeySig: privateKey,
    oidcServicePublicKeySig: publicKey,
    oidcServiceKeyIdSig: 'first',
    oidcRPMetaDataExportedVars: { app: { email: 'mail', name: 'cn' } },
    oidcRPMetaDataOptions: {
      app: {
        [option('ClientID')]: 'app',
        [option('ClientSecret')]: SECRET,
        [option('RedirectUris')]: application.redirectUri,
        [option('PostLogoutRedirectUris')]: application.postLogoutRedirectUri,
        [option('IDTokenSignAlg')]: 'RS256',
        [option('IDTokenExpiration')]: 600,
        [option('RefreshToken')]: 1,
        [option('LogoutBypassConfirm')]: 1,
      },
    },
  }
}
