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
 * On an empty Debian machine with Docker, tries the example from the files of a clone; follows the guide to a login in a browser; kills a
 * process; follows the runbook; makes a backup, loses the database and restores it; upgrades an installation of the last release, and goes
 * back to it. The first process of its namespaces: `compose-drill.ts FOLDER`, in which `machine` is the machine with the clone, `images`
 * has an archive for each image.
 */
type Browser = Awaited<ReturnType<typeof launchChromium>>
type Page = Awaited<ReturnType<Browser['newPage']>>

const DOMAIN = 'login.example.com'
const CONSOLE = 'console.example.com'
const APPLICATION = 'http://localhost:3000'
const ADA = { email: 'ada@example.com', password: 'correct horse battery' }
/** The example and the mail catcher of deploy/compose.try.yaml. */
const EXAMPLE = 'http://localhost:3000'
const MAIL = 'http://localhost:8025'
/** The tag of the image that stands for the last release. */
const EARLIER = 'earlier'
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
  for (const project of ['deploy', 'latchkey-try']) await remove(project).catch(() => {})
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
  await step('the example takes no setting of the installation', compareSettings)
  await step('one command brings up the example', tryOut)
  await step('a person signs up at the example', async () => signUp(await newPage(browser)))
  await step('one command removes it', async () => {
    await machine.sh(printed('compose-try-remove'))
    const left = await machine.sh('docker volume ls --quiet')
    if (left !== '') throw new Error(`These volumes are left: ${left}`)
  })
  await step('the commands of the guide make a tenant', followGuide)
  const page = await newPage(browser)
  await step('a person logs in at an application', async () => {
    await startApplication()
    await logIn(page, 'new')
  })
  await step('a process is killed and comes back, and the login stays', () => killOne(page))
  await step('the runbook: an operator is invited, and recovered', inviteOperator)
  await step('the runbook: a new master key, and then it alone', changeMasterKey)
  await step('the runbook: Redis is lost with its data', loseRedis)
  await step('the runbook: the disk is full', async () => {
    expectReady(await machine.sh(printed('runbook/compose-disk-full')))
  })
  await step('the person logs in once more', async () => logIn(await newPage(browser), 'runbook'))
  await step('a backup is restored into an empty database', backUpAndRestore)
  await step('the person logs in again', async () => logIn(await newPage(browser), 'restored'))
  await remove('deploy')
  await machine.sh('rm service.env')
  await step('an installation of the last release has a person', installEarlier)
  await step('it is upgraded as the guide says', upgrade)
  await step('the person of the last release logs in', async () => {
    await logIn(await newPage(browser), 'upgraded')
  })
  await step('it goes back to the last release as the guide says', goBack)
  await step('the person logs in there again', async () => logIn(await newPage(browser), 'back'))
}

/** A file of the folder. */
function at(name: string): string {
  return path.join(folder, name)
}

/** The names of the tenant and the console are this machine's, in the namespace of this process alone. */
function nameHost(): void {
  writeFileSync(at('hosts'), `127.0.0.1 localhost ${DOMAIN} ${CONSOLE}\n`)
  execFileSync('mount', ['--bind', at('hosts'), '/etc/hosts'])
}

/** The images that the files name, from root file systems and archives in `images`. */
async function loadImages(): Promise<void> {
  if ((await machine.sh('docker images --quiet latchkey-service:try')) !== '') return
  for (const command of standIns) await machine.sh(command)
  // Under the tags that the printed commands build.
  await machine.sh(`
    docker load --quiet --input /images/latchkey-service.tar
    for tag in try "$(git describe --tags --always)"; do docker tag latchkey-service latchkey-service:$tag; done`)
}

/** The commands of a file of the guides, without its folder, which is that of the machine's shell, and without what Docker would build. */
function printed(name: string): string {
  return readFileSync(path.join(root, 'examples/guides/shell', `${name}.sh`), 'utf8')
    .replace(/^cd deploy && /, '')
    .replace(/^ *docker compose build\n/m, '')
    .replace(/ --build$/m, '')
}

async function remove(project: string): Promise<void> {
  await machine.sh(`docker compose --project-name ${project} down --volumes --timeout 1`)
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

/**
 * Opens an address. A container that starts or stops changes the network of the machine, at which Chromium breaks off
 * the page that it is loading; then it is opened once more.
 */
async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url).catch((error: Error) => {
    if (!error.message.includes('ERR_NETWORK_CHANGED')) throw error
    return page.goto(url)
  })
}

/** Fills in the real login page, of which a picture is kept. */
async function logIn(page: Page, picture: string): Promise<void> {
  await visit(page, `${APPLICATION}/account`)
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
  await visit(page, `${APPLICATION}/account`)
  await expectAccount(page)
  await page.context().clearCookies({ domain: 'localhost' })
  await visit(page, `${APPLICATION}/account`)
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
  const damaged = await machine
    .sh(
      `cp latchkey.dump whole.dump\ntruncate --size=-2000 latchkey.dump\n${printed('compose-restore')}`,
    )
    .catch(() => undefined)
  if (damaged !== undefined) throw new Error(`A damaged dump was restored:\n${damaged}`)
  if (!(await isReady())) throw new Error('After a damaged dump, the service is not ready.')
  const kept = await machine.sh(
    'mv whole.dump latchkey.dump\ndocker compose run --rm migrate tenant list',
  )
  if (!kept.includes('lost.example.com')) throw new Error(`A damaged dump took the data:\n${kept}`)
  const output = await machine.sh(printed('compose-restore'))
  if (!/key_/.test(output)) throw new Error(`No key waits to be confirmed:\n${output}`)
  const tenants = await machine.sh('docker compose run --rm migrate tenant list')
  if (tenants.includes('lost.example.com')) throw new Error(tenants)
}

/** The console of the settings that the runbook writes: the links of the two commands open at it. */
async function inviteOperator(): Promise<void> {
  const invited = await machine.sh(printed('runbook/compose-first-day'))
  expectReady(invited)
  await expectLink(invited)
  await expectLink(await machine.sh(printed('runbook/compose-recover-operator')))
}

/** A link of a command opens at the console, which the proxy of the operator serves by its name. */
async function expectLink(output: string): Promise<void> {
  const link = /https:\/\/console\.example\.com\/\S+/.exec(output)?.[0]
  if (link === undefined) throw new Error(`No link:\n${output}`)
  const page = await newPage(browser)
  await visit(page, link)
  await page.getByLabel('Password', { exact: true }).waitFor()
}

/** Each process seals and opens under the new key without a restart; started again, it has no other. */
async function changeMasterKey(): Promise<void> {
  const before = await containers()
  await machine.sh(printed('runbook/compose-new-master-key'))
  await until('everything is sealed under the new key', async () => {
    const log = await machine.sh('docker compose logs --no-color service')
    return log.includes('Every secret is sealed under the newest master key.')
  })
  expectNothing(await machine.sh(printed('runbook/compose-only-master-key')))
  const after = await containers()
  if (after.join() !== before.join()) throw new Error('Containers are others than before.')
  await machine.sh('docker compose restart service')
  await until('the service is ready', isReady)
}

async function loseRedis(): Promise<void> {
  await machine.sh('docker compose rm --stop --force redis; docker volume rm deploy_redis')
  expectNothing(await machine.sh(printed('runbook/compose-redis-lost')))
}

function expectReady(output: string): void {
  if (!output.includes('{"status":"ready"}')) throw new Error(output)
}

/** `doctor` finds nothing. */
function expectNothing(output: string): void {
  if (!output.includes('Nothing needs a decision.')) throw new Error(output)
}

/** The last release had no image: its sources become one, on the Node of this one's. */
async function installEarlier(): Promise<void> {
  const start =
    'export LATCHKEY_DATABASE="$(cat $LATCHKEY_DATABASE_FILE)"; exec node --conditions=latchkey-source /release/packages/service/src/cli/main.ts "$@"'
  const entrypoint = JSON.stringify(['sh', '-euc', start, '--'])
  await machine.sh(`
    docker create --name release latchkey-service
    docker cp --quiet /release release:/release
    docker commit --change 'ENTRYPOINT ${entrypoint}' release latchkey-service:${EARLIER}
    docker rm release
    echo LATCHKEY_TAG=${EARLIER} > .env
    docker compose up --detach
    docker compose run --rm migrate tenant create --domain ${DOMAIN}`)
  await until('the last release is ready', isReady)
  const version = await machine.sh('docker compose run --rm migrate --version')
  console.log(`        the last release: ${version.split('\n').at(-1)}`)
  await startApplication()
  await logIn(await newPage(browser), 'earlier')
}

async function upgrade(): Promise<void> {
  await machine.sh(printed('compose-upgrade'))
  await until('the service is ready', isReady)
  const tag = await machine.sh('git describe --tags --always')
  await expectServing(`latchkey-service:${tag}`)
}

async function goBack(): Promise<void> {
  const mistyped = `EARLIER=mistyped\n${printed('compose-rollback')}`
  const refused = await machine.sh(mistyped).catch(() => undefined)
  if (refused !== undefined) throw new Error(`A tag without an image serves:\n${refused}`)
  const images = await machine.sh('docker images --quiet latchkey-service:mistyped')
  if (images !== '')
    throw new Error('The earlier tag was given to an image of the present sources.')
  await machine.sh(`EARLIER=${EARLIER}\n${printed('compose-rollback')}`)
  await until('the service is ready', isReady)
  await expectServing(`latchkey-service:${EARLIER}`)
}

async function expectServing(image: string): Promise<void> {
  const images = await machine.sh(
    "docker compose ps --quiet service | xargs docker inspect --format '{{.Config.Image}}'",
  )
  const others = images.split('\n').filter((one) => one !== image)
  if (others.length > 0) throw new Error(`${others.join()} serves, not ${image}.`)
}

async function compareSettings(): Promise<void> {
  const has = async (files: string) => {
    const settings = await machine.sh(`
      echo LATCHKEY_CONSOLE_URL=https://${CONSOLE} > service.env
      LATCHKEY_TAG=try docker compose ${files} config
      rm service.env`)
    return settings.includes('LATCHKEY_CONSOLE_URL')
  }
  const installation = '--file compose.yaml'
  if (!(await has(installation))) throw new Error('The installation does not read service.env.')
  const example = `${installation} --file compose.try.yaml`
  if (await has(example)) throw new Error('The example reads service.env, too.')
}

/** The name of the tenant of deploy/compose.try.yaml is below localhost, so this machine needs no name for it. */
async function tryOut(): Promise<void> {
  await machine.sh(`cd ..\n${printed('compose-try')}`)
  await until('the example listens', async () => {
    return (await fetch(EXAMPLE).catch(() => undefined))?.ok ?? false
  })
}

/** Follows the link of the message in the same browser, which finishes the login there. */
async function signUp(page: Page): Promise<void> {
  await visit(page, `${EXAMPLE}/account`)
  await page.getByRole('link', { name: 'Create one' }).click()
  await page.getByLabel('Email address').fill(ADA.email)
  await page.getByLabel('Password', { exact: true }).fill(ADA.password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText(`We have sent a message to ${ADA.email}.`).waitFor()
  const message = await page.context().newPage()
  await visit(message, await linkOfMail())
  await message.getByRole('button', { name: 'Confirm address' }).click()
  await message.waitForURL(`${EXAMPLE}/account`)
  await expectAccount(message)
  await message.screenshot({ path: path.join(pictures, 'example.png') })
  await visit(message, MAIL)
  await message.screenshot({ path: path.join(pictures, 'mail.png') })
}

async function linkOfMail(): Promise<string> {
  let link: string | undefined
  await until('the mail is there', async () => {
    const source = await fetch(`${MAIL}/api/v1/message/latest/raw`)
    // Lines of a message are folded, and its equals signs are encoded (RFC 2045 §6.7).
    const text = (await source.text()).replaceAll('=\r\n', '').replaceAll('=3D', '=')
    link = /https:\/\/login\.localhost:8443\/\S+/.exec(text)?.[0]
    return link !== undefined
  })
  return link ?? ''
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
      const logs = ['deploy', 'latchkey-try'].map((project) =>
        machine.sh(`docker compose --project-name ${project} logs --no-color --tail 20`),
      )
      const ends = await Promise.all(logs.map((log) => log.catch(() => '')))
      return [error.stack, ...ends].join('\n')
    },
  )
  const seconds = (performance.now() - startedAt) / 1000
  const outcome = { code: failure === undefined ? 0 : 1, output: failure ?? '', seconds }
  if (!report(name, outcome)) throw new Error(name)
}
