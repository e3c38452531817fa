import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { earlierRelease } from '../packages/service/test/support/earlier-release.ts'
import { provideChromium } from '../test/support/chromium.ts'
import { freePort } from '../test/support/free-port.ts'
import { provideNginx } from '../test/support/nginx.ts'
import { ownNamespaces } from './images/machine.ts'
import { makeMachine } from './images/stand-ins.ts'
import { root } from './packages.ts'
import { report, run } from './run.ts'

/**
 * Judges the systemd unit, and builds the image of the service and that of the deployment guide, in a clone with secrets beside the sources:
 * `npx pnpm test:images`. The service's image serves, and makes a tenant; no image may hold a secret. There is no Docker here: buildah
 * builds, and mmdebstrap makes the image that both begin with, under the name that they give it. Then `images/compose-drill.ts` follows the
 * guide with Docker, on a machine that mmdebstrap makes.
 */
const BASE = 'docker.io/library/node:24-slim'
const SECRET = 'a-secret-that-no-image-may-hold'
const DOMAIN = 'login.example.com'
const COMMAND = ['node', '/app/dist/cli/main.js']
/** Five times a second, for two minutes. */
const READY_TRIES = 600
/** The files that {@link build} is asked for. */
const BUILT = ['deploy/Containerfile', 'examples/guides/deploy/Dockerfile']

/** A machine's own certificate authorities, which npm needs in a container as well. */
const authorities = process.env.NODE_EXTRA_CA_CERTS

process.env.BUILDAH_ISOLATION = 'chroot'
const missing = ['buildah', 'mmdebstrap', 'systemd-analyze'].filter(
  (program) => spawnSync(program, ['--version']).error,
)
if (missing.length > 0 || process.getuid?.() !== 0) {
  const remedy =
    missing.length > 0 ? `apt-get install buildah mmdebstrap systemd` : 'run it as root'
  console.log(`Images and the unit were not tried: ${remedy}.`)
  if (process.env.CI) process.exitCode = 1
} else {
  const folder = mkdtempSync(path.join(tmpdir(), 'latchkey-images-'))
  try {
    await testImages(folder)
  } finally {
    await run('buildah', ['rm', '--all'])
    rmSync(folder, { recursive: true })
  }
}

async function testImages(folder: string): Promise<void> {
  await step('deploy/latchkey.service', () => judgeUnit(folder))
  await step('every image that a guide or deploy/ has is built here', async () => checkBuilt())
  if (!(await step('the base image', () => makeBase(folder)))) return
  const machine = makeMachine(folder).then(() => undefined, String)
  const clone = path.join(folder, 'clone')
  await demand('git', ['clone', '--quiet', root, clone])
  plantSecrets(clone)
  plantSecrets(path.join(clone, 'packages/service'))
  mkdirSync(path.join(clone, 'deploy/secrets'))
  writeFileSync(path.join(clone, 'deploy/secrets/master-key'), SECRET)
  const service = ['--file', 'deploy/Containerfile', '--tag', 'latchkey-service', '.']
  const isBuilt = await step('deploy/Containerfile', () => build(clone, service))
  if (isBuilt) {
    await step('the service in its image', () => serve())
    await step('no secret in the image of the service', () => search('latchkey-service'))
  }
  const shop = path.join(folder, 'shop')
  makeShop(shop)
  if (await step("the deployment guide's Dockerfile", () => build(shop, ['--tag', 'shop', '.'])))
    await step('no secret in the image of the guide', () => search('shop'))
  const failure = await machine
  await step('a Debian machine with Docker', async () => {
    if (failure !== undefined) throw new Error(failure)
  })
  if (isBuilt && failure === undefined) await tryCompose(folder)
}

async function checkBuilt(): Promise<void> {
  const files = await demand('git', ['ls-files', '*Containerfile*', '*Dockerfile*'], root)
  const others = files.split('\n').filter((file) => !BUILT.includes(file))
  if (others.length > 0)
    throw new Error(`Build ${others.join(' and ')} as well, and look for secrets in it.`)
}

/** Puts a clone and the images on the machine, and follows the guide there in namespaces of its own. */
async function tryCompose(folder: string): Promise<void> {
  const [program, ...words] = ownNamespaces(['true'])
  const { code, output } = await run(program, words)
  if (code !== 0) {
    console.log(`The compose file was not tried: this machine makes no namespaces. ${output}`)
    return
  }
  await step('the images and a clone on the machine', async () => {
    for (const [file, name, tagged] of [
      ['node', BASE, BASE],
      ['latchkey-service', 'latchkey-service', 'latchkey-service:latest'],
    ] as const) {
      const archive = path.join(folder, `images/${file}.tar`)
      await demand('buildah', ['push', '--quiet', name, `docker-archive:${archive}:${tagged}`])
    }
    const home = path.join(folder, 'machine/root')
    mkdirSync(home, { recursive: true })
    await demand('git', ['clone', '--quiet', root, path.join(home, 'latchkey')])
    // The machine has no network, so all that the drill needs is here before it.
    earlierRelease()
    provideNginx()
    provideChromium()
  })
  const drill = path.join(root, 'scripts/images/compose-drill.ts')
  const [unshare, ...rest] = ownNamespaces([
    process.execPath,
    '--conditions=latchkey-source',
    drill,
    folder,
  ])
  const ended = await new Promise((resolve) =>
    spawn(unshare, rest, { stdio: ['ignore', 'inherit', 'inherit'] }).once('close', resolve),
  )
  if (ended !== 0) process.exitCode = 1
  console.log('`docker compose build` was not tried: buildah builds the image of the same file.')
  console.log(
    'The official images of Node, PostgreSQL, Valkey, nginx and Mailpit were not tried: see scripts/images/stand-ins.ts.',
  )
}

/** Nothing here runs systemd, so its own program reads the unit, and judges how much the unit leaves open: at most 2.0 of 10. */
async function judgeUnit(folder: string): Promise<void> {
  const unit = path.join(root, 'deploy/latchkey.service')
  const here = path.join(folder, 'latchkey.service')
  // Whether a program is there is no question of the unit.
  writeFileSync(here, readFileSync(unit, 'utf8').replace('/usr/bin/node', process.execPath))
  await demand('systemd-analyze', ['verify', here])
  await demand('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit])
}

/** Debian with Node, npm and the user `node`, as the official image has them. */
async function makeBase(folder: string): Promise<void> {
  const tar = path.join(folder, 'base.tar')
  await demand('mmdebstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', tar])
  const container = await demand('buildah', ['from', 'scratch'])
  const copy = (from: string, to: string) =>
    demand('buildah', ['copy', '--quiet', container, from, to])
  await demand('buildah', ['add', '--quiet', container, tar, '/'])
  await copy(process.execPath, '/usr/local/bin/node')
  await copy(
    await demand('npm', ['root', '--global']).then((all) => `${all}/npm`),
    '/usr/local/lib/npm',
  )
  if (authorities) {
    await copy(authorities, '/etc/ssl/certs/ca-certificates.crt')
    const variable = 'NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt'
    await demand('buildah', ['config', '--env', variable, container])
  }
  const links = ['npm', 'npx'].map(
    (name) => `ln -s ../lib/npm/bin/${name}-cli.js /usr/local/bin/${name}`,
  )
  const user = 'groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node'
  await demand('buildah', ['run', container, '--', 'sh', '-c', [...links, user].join(' && ')])
  await demand('buildah', ['commit', '--quiet', '--rm', container, BASE])
}

async function build(context: string, words: readonly string[]): Promise<void> {
  await demand('buildah', ['build', '--format', 'docker', '--pull-never', ...words], context)
}

/** Starts the image as its own user, makes a tenant, and asks it for discovery. */
async function serve(): Promise<void> {
  const container = await demand('buildah', ['from', '--pull-never', 'latchkey-service'])
  const port = await freePort()
  const settings = ['--env', 'LATCHKEY_DATA=/data', '--env', `LATCHKEY_PORT=${port}`]
  const inside = (words: readonly string[]) => ['run', ...settings, container, '--', ...words]
  const server = spawn('buildah', inside([...COMMAND, 'serve', '--host', '0.0.0.0']), {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    let log = ''
    server.stdout.on('data', (chunk) => (log += chunk))
    server.stderr.on('data', (chunk) => (log += chunk))
    const url = `http://127.0.0.1:${port}`
    for (let tries = 0; !(await isReady(url)); tries++) {
      if (tries === READY_TRIES) throw new Error(`The service is not ready: ${log}`)
      if (server.exitCode !== null) throw new Error(`The service has ended: ${log}`)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    const user = await demand('buildah', inside(['id', '--user']))
    if (user !== '1000') throw new Error(`It serves as user ${user}, not 1000.`)
    await demand('buildah', inside([...COMMAND, 'tenant', 'create', '--domain', DOMAIN]))
    const discovery = ['--silent', '--fail', '--header', `Host: ${DOMAIN}`]
    const found = await demand('curl', [...discovery, `${url}/.well-known/openid-configuration`])
    const { issuer } = JSON.parse(found) as { issuer?: string }
    if (issuer !== `https://${DOMAIN}`) throw new Error(`Its issuer is ${issuer}.`)
  } finally {
    server.kill()
  }
}

async function isReady(url: string): Promise<boolean> {
  return await fetch(`${url}/x/ready`).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** Looks through each layer, as a file that a later layer removes is still in the image. */
async function search(image: string): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'latchkey-layers-'))
  try {
    await demand('buildah', ['push', '--quiet', '--disable-compression', image, `dir:${folder}`])
    const found = await run('grep', [
      '--recursive',
      '--files-with-matches',
      '--text',
      SECRET,
      folder,
    ])
    if (found.code !== 1) throw new Error(`A layer holds the secret: ${found.output}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The folder of getting started, with the files of the deployment guide. */
function makeShop(folder: string): void {
  const example = (file: string) => path.join(root, 'examples', file)
  mkdirSync(folder)
  for (const file of ['Dockerfile', '.dockerignore'])
    copyFileSync(example(`guides/deploy/${file}`), path.join(folder, file))
  copyFileSync(example('getting-started/app.js'), path.join(folder, 'app.js'))
  const manifest = {
    name: 'shop',
    version: '1.0.0',
    type: 'module',
    dependencies: { 'is-number': '7.0.0' },
  }
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest))
  spawnSync('npm', ['install', '--package-lock-only'], { cwd: folder })
  plantSecrets(folder)
}

function plantSecrets(folder: string): void {
  mkdirSync(path.join(folder, '.latchkey'), { recursive: true })
  mkdirSync(path.join(folder, 'node_modules'), { recursive: true })
  for (const file of ['.env', '.env.local', '.latchkey/master.key', 'node_modules/secret.js']) {
    const target = path.join(folder, file)
    if (!existsSync(target)) writeFileSync(target, SECRET)
  }
}

/** Prints how the step ended. @returns Whether it succeeded. */
async function step(name: string, work: () => Promise<void>): Promise<boolean> {
  const startedAt = performance.now()
  const failure = await work().then(
    () => undefined,
    (error: Error) => error.message,
  )
  const seconds = (performance.now() - startedAt) / 1000
  return report(name, { code: failure === undefined ? 0 : 1, output: failure ?? '', seconds })
}

/** Runs a command, and resolves to its output and errors. @throws Error when it fails. */
async function demand(command: string, args: readonly string[], cwd?: string): Promise<string> {
  const { code, output } = await run(command, args, cwd ? { cwd } : {})
  if (code !== 0) throw new Error(`${command} ${args.slice(0, 2).join(' ')} failed:\n${output}`)
  return output.trim()
}
