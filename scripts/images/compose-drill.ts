import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createManagementClient } from '../../packages/management/src/index.ts'
import { earlierRelease } from '../../packages/service/test/support/earlier-release.ts'
import { selfSigned } from '../../test/support/certificate.ts'
import { launchChromium } from '../../test/support/chromium.ts'
import { startNginx } from '../../test/support/nginx.ts'
import { root } from '../packages.ts'
import { report } from '../run.ts'
import { startMachine } from './machine.ts'
import { standIns } from './stand-ins.ts'

/**
 * On an empty Debian machine with Docker, follows the guide from the files of a clone to a login in a browser; kills a process; makes a backup,
 * loses the database and restores it; then upgrades an installation of the last release. The first process of its namespaces:
 * `compose-drill.ts FOLDER`, in which `machine` is the machine with the clone, and `images` has an archive for each image.
 */
type Browser = Awaited<ReturnType<typeof launchChromium>>
type Page = Awaited<ReturnType<Browser['newPage']>>

const DOMAIN = 'login.example.com'
const APPLICATION = 'http://localhost:3000'
const ADA = { email: 'ada@example.com', password: 'correct horse battery' }
/** Five times a second, for two minutes. */
const TRIES = 600

const [folder = ''] = process.argv.slice(2)
const pictures = path.join(root, '.artifacts/images')
// The user of a container reads it, too.
const release = path.join(earlierRelease(), '../..')
chmodSync(release, 0o755)
const machine = await startMachine(path.join(folder, 'machine'), {
  images: path.join(folder, 'images'),
  release,
})
const browser = await launchChromium()
let application: ChildProcess | undefined
try {
  await drill()
} finally {
  application?.kill()
  await browser.close()
  await machine.sh('docker compose down --volumes --timeout 1').catch(() => {})
  await machine.stop()
}

async function drill(): Promise<void> {
  const certificate = await selfSigned(DOMAIN)
  for (const [name, text] of Object.entries(certificate)) writeFileSync(at(`${name}.pem`), text)
  setDefaultCACertificates([...getCACertificates(), certificate.cert])
  nameHost()
  await using _ = await startNginx(
    8081,
    `listen 127.0.0.1:443 ssl; ssl_certificate ${at('cert.pem')}; ssl_certificate_key ${at('key.pem')};
    location / {
      proxy_pass http://127.0.0.1:8080;
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }`,
  )
  await step('the images are on the machine', loadImages)
  await step('the commands of the guide make a tenant', () => followGuide())
  const page = await newPage(browser)
  await step('a person logs in at an application', async () => {
    await startApplication()
    await logIn(page, 'new')
  })
  await step('a process is killed and comes back, and the login stays', () => killOne(page))
  await step('a backup is restored into an empty database', backUpAndRestore)
  await step('the person logs in again', async () => logIn(await newPage(browser), 'restored'))
  await machine.sh('docker compose down --volumes --timeout 1')
  await step('an installation of the last release has a person', installEarlier)
  await step('it is upgraded as the guide says', upgrade)
  await step('the person of the last release logs in', async () => {
    await logIn(await newPage(browser), 'upgraded')
  })
}

/** A file of the folder. */
function at(name: string): string {
  return path.join(folder, name)
}

/** The name of the tenant is this machine's, in the namespace of this process alone. */
function nameHost(): void {
  writeFileSync(at('hosts'), `127.0.0.1 localhost ${DOMAIN}\n`)
  execFileSync('mount', ['--bind', at('hosts'), '/etc/hosts'])
}

/** The images that the file names, from root file systems and archives in `images`. None is there when a machine starts for the first time. */
async function loadImages(): Promise<void> {
  if ((await machine.sh('docker images --quiet postgres')) !== '') return
  for (const command of [...standIns, 'docker load --quiet --input /images/latchkey-service.tar'])
    await machine.sh(command)
}

/** The commands of a file of the guides, without its folder, which is that of the machine's shell, and without what Docker would build. */
function printed(name: string): string {
  return readFileSync(path.join(root, 'examples/guides/shell', `${name}.sh`), 'utf8')
    .replace(/^cd deploy\n/, '')
    .replace(/^docker compose build\n/m, '')
    .replace(/ --build$/m, '')
}

async function followGuide(): Promise<void> {
  await machine.sh(printed('compose'))
  await until('the service is ready', isReady)
  const { services } = JSON.parse(await machine.sh('docker compose config --format json')) as {
    services: { service: { deploy: { replicas: number } } }
  }
  const running = await containers()
  const { replicas } = services.service.deploy
  if (running.length !== replicas) throw new Error(`${running.length} of ${replicas} processes`)
}

async function containers(): Promise<string[]> {
  return (await machine.sh('docker compose ps --quiet --status running service')).split('\n')
}

async function isReady(): Promise<boolean> {
  const answer = await fetch(`https://${DOMAIN}/x/ready`).catch(() => undefined)
  return answer?.ok ?? false
}

/** Makes a user, registers the application, and starts it. */
async function startApplication(): Promise<void> {
  application?.kill()
  const key = await machine.sh(
    'docker compose run --rm --quiet-pull migrate key create --name setup --all-tenants 2> /dev/null',
  )
  const client = createManagementClient({ baseUrl: `https://${DOMAIN}`, apiKey: key })
  const tenant = (await Array.fromAsync(client.tenants.list()))[0]?.id ?? ''
  const { email, password } = ADA
  const users = client
    .users(tenant)
    .import([
      { profile: { email, email_verified: true }, password: { alg: 'plain', hash: password } },
    ])
  for await (const { status } of users)
    if (status !== 'created') throw new Error(`The user is ${status}.`)
  const applications = client.applications(tenant)
  const { id } = await applications.create({
    name: 'Shop',
    redirect_urls: [`${APPLICATION}/callback`],
    logout_urls: [APPLICATION],
  })
  const { secret } = await applications.get(id)
  application = spawn(process.execPath, ['--conditions=latchkey-source', 'app.js'], {
    cwd: path.join(root, 'examples/getting-started'),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      NODE_EXTRA_CA_CERTS: at('cert.pem'),
      LATCHKEY_ISSUER: `https://${DOMAIN}`,
      LATCHKEY_BASE_URL: APPLICATION,
      LATCHKEY_CLIENT_ID: id,
      LATCHKEY_CLIENT_SECRET: secret,
      LATCHKEY_SESSION_SECRET: randomBytes(32).toString('base64'),
    },
  })
  await until('the application listens', async () => {
    return (await fetch(APPLICATION).catch(() => undefined))?.ok ?? false
  })
}

async function newPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  return context.newPage()
}

/** Fills in the real login page, of which a picture is kept. */
async function logIn(page: Page, picture: string): Promise<void> {
  await page.goto(`${APPLICATION}/account`)
  await page.getByLabel('Email address').fill(ADA.email)
  await page.getByLabel('Password', { exact: true }).fill(ADA.password)
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: path.join(pictures, `login-${picture}.png`) })
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await page.waitForURL(`${APPLICATION}/account`)
  await expectAccount(page)
}

async function expectAccount(page: Page): Promise<void> {
  const text = await page.textContent('body')
  if (text !== `Logged in as ${ADA.email}`) throw new Error(`${page.url()} shows: ${text}`)
}

/** Not by Docker, which takes a container that it has killed itself for one that an operator has stopped. */
async function killOne(page: Page): Promise<void> {
  const all = await containers()
  const [one] = all
  const restarts = () => machine.sh(`docker inspect --format '{{.RestartCount}}' ${one}`)
  const pid = await machine.sh(`docker inspect --format '{{.State.Pid}}' ${one}`)
  process.kill(Number(pid), 'SIGKILL')
  // The application's own session asks no process; a login without a password does.
  await page.goto(`${APPLICATION}/account`)
  await expectAccount(page)
  await page.context().clearCookies({ domain: 'localhost' })
  await page.goto(`${APPLICATION}/account`)
  await expectAccount(page)
  await until('the process is back', async () => {
    return Number(await restarts()) > 0 && (await containers()).length === all.length
  })
}

async function backUpAndRestore(): Promise<void> {
  await machine.sh(printed('compose-backup'))
  // Both are lost: the processes notice by the login that the backup is older than what they have seen.
  await machine.sh('docker compose run --rm migrate tenant create --domain lost.example.com')
  await logIn(await newPage(browser), 'lost')
  const output = await machine.sh(printed('compose-restore'))
  if (!/key_/.test(output)) throw new Error(`No key waits to be confirmed:\n${output}`)
  const tenants = await machine.sh('docker compose run --rm migrate tenant list')
  if (tenants.includes('lost.example.com')) throw new Error(tenants)
}

/** The last release had no image: its sources run on the Node of this one's, with the services and settings of the file. */
async function installEarlier(): Promise<void> {
  const service = `
    volumes: ["/release:/release:ro"]
    entrypoint:
      - sh
      - -euc
      - export LATCHKEY_DATABASE="$$(cat $$LATCHKEY_DATABASE_FILE)"; exec node --conditions=latchkey-source /release/packages/service/src/cli/main.ts "$$@"
      - --`
  const override = `services:\n  migrate:${service}\n  service:${service}\n`
  writeFileSync(path.join(machine.folder, 'root/latchkey/deploy/earlier.yaml'), override)
  const compose = 'docker compose --file compose.yaml --file earlier.yaml'
  await machine.sh(`${compose} up --detach`)
  await machine.sh(`${compose} run --rm migrate tenant create --domain ${DOMAIN}`)
  await until('the last release is ready', isReady)
  const version = await machine.sh(`${compose} run --rm migrate --version`)
  console.log(`        the last release: ${version.split('\n').at(-1)}`)
  await startApplication()
  await logIn(await newPage(browser), 'earlier')
}

async function upgrade(): Promise<void> {
  await machine.sh(printed('compose-upgrade'))
  await until('the service is ready', isReady)
  const programs = await machine.sh(
    "docker compose ps --quiet service | xargs docker inspect --format '{{.Path}}'",
  )
  if (/^(?!node$)/m.test(programs)) throw new Error(`The earlier release still serves: ${programs}`)
}

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await condition()); tries++) {
    if (tries === TRIES) throw new Error(`Not so after two minutes: ${what}.`)
    await wait(200)
  }
}

/** @throws Error when the step fails, as the next one builds on it. */
async function step(name: string, work: () => Promise<void>): Promise<void> {
  const startedAt = performance.now()
  const failure = await work().then(
    () => undefined,
    async (error: Error) => {
      const logs = await machine.sh('docker compose logs --no-color --tail 20').catch(() => '')
      return `${error.stack}\n${logs}`
    },
  )
  const seconds = (performance.now() - startedAt) / 1000
  const outcome = { code: failure === undefined ? 0 : 1, output: failure ?? '', seconds }
  if (!report(name, outcome)) throw new Error(name)
}
