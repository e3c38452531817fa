import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { rolldown } from 'rolldown'
import { root } from '../packages.ts'
import { run } from '../run.ts'

/** The release of Debian that the machine has. Its PostgreSQL and Valkey are those of deploy/compose.yaml. */
const DEBIAN = 'trixie'
/** The nginx of {@link DEBIAN} is too old for deploy/nginx.conf. */
const NEXT_DEBIAN = 'forky'

/** Docker, and the programs of the printed commands that the smallest Debian leaves out. */
const DOCKER = [
  ...['docker.io', 'docker-cli', 'docker-compose', 'iptables', 'mount'],
  ...['openssl', 'curl', 'git'],
]
const NOT_NEEDED = ['/usr/share/doc/*', '/usr/share/locale/*', '/usr/lib/*/libLLVM*']

/** Makes the root of an empty Debian machine with Docker, and beside it the file systems of images that no registry is asked for. */
export async function makeMachine(folder: string): Promise<void> {
  const entrypoint = path.join(root, 'scripts/images/docker-entrypoint.sh')
  // Debian would make a cluster of its own, and nginx would serve a page of its own.
  const noCluster =
    'mkdir -p "$1/etc/postgresql-common" && echo create_main_cluster=false > "$1/etc/postgresql-common/createcluster.conf"'
  mkdirSync(path.join(folder, 'images'))
  await Promise.all([
    bundleMailCatcher(path.join(folder, 'images/mail-catcher.mjs')),
    bootstrap(DEBIAN, DOCKER, [], path.join(folder, 'machine')),
    bootstrap(
      DEBIAN,
      ['postgresql-17', 'valkey-server'],
      [`--essential-hook=${noCluster}`, `--customize-hook=copy-in ${entrypoint} /usr/local/bin`],
      path.join(folder, 'images/stores.tar'),
    ),
    bootstrap(
      NEXT_DEBIAN,
      ['nginx-light'],
      ['--customize-hook=rm "$1/etc/nginx/sites-enabled/default"'],
      path.join(folder, 'images/nginx.tar'),
    ),
  ])
}

/** The machine has no packages of npm, so the program is one file. */
async function bundleMailCatcher(file: string): Promise<void> {
  const input = path.join(root, 'scripts/images/mail-catcher.ts')
  const bundled = await rolldown({ input, platform: 'node' })
  await bundled.write({ file, codeSplitting: false })
}

async function bootstrap(
  release: string,
  packages: readonly string[],
  hooks: readonly string[],
  target: string,
): Promise<void> {
  const { code, output } = await run('mmdebstrap', [
    '--variant=minbase',
    // A mirror that is asked for fixed days has lists that have expired.
    '--aptopt=Acquire::Check-Valid-Until "false"',
    ...NOT_NEEDED.map((files) => `--dpkgopt=path-exclude=${files}`),
    `--include=${packages.join()}`,
    ...hooks,
    release,
    target,
  ])
  if (code !== 0) throw new Error(output.slice(-4_000))
}

const PATH =
  '/usr/lib/postgresql/17/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The commands that make the official images of the compose files on a machine, of the files at `/images`: those of {@link makeMachine}, and the base image. */
export const standIns: readonly string[] = [
  imported('stores', 'postgres:17', [
    'WORKDIR /data',
    `ENV PATH=${PATH}`,
    'ENTRYPOINT ["docker-entrypoint.sh"]',
    'CMD ["postgres"]',
  ]),
  'docker tag postgres:17 valkey/valkey:8',
  'docker load --quiet --input /images/node.tar',
  // The name is the only part of Mailpit that is here.
  'docker create --name mail node:24-slim node /mail-catcher.mjs',
  'docker cp --quiet /images/mail-catcher.mjs mail:/mail-catcher.mjs',
  `docker commit --change 'CMD ["node", "/mail-catcher.mjs"]' mail axllent/mailpit:v1.31`,
  'docker rm mail',
  imported('nginx', 'nginx:1.29', ['CMD ["nginx", "-g", "daemon off;"]', 'STOPSIGNAL SIGQUIT']),
]

function imported(file: string, name: string, changes: readonly string[]): string {
  const words = changes.map((change) => `--change '${change}'`).join(' ')
  return `docker import ${words} /images/${file}.tar ${name}`
}
