import { type ChildProcess, spawn } from 'node:child_process'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { launchChromium } from '../test/support/chromium.ts'
import { INSTALL_SECONDS, type PackedPackage } from './consumer.ts'
import { root } from './packages.ts'
import { type Outcome, run } from './run.ts'

/** A block of the guide: a command, or a file with its name. */
type Step = { language: string; file: string | undefined; text: string }

/** npm would ask for advisories and donations; that takes seconds. */
const quiet = 'export npm_config_audit=false npm_config_fund=false\n'

/**
 * Follows docs/guides/getting-started.md to the letter in an empty folder, with the tarballs in place
 * of the registry, and logs in with a browser. Then it follows the set-up of docs/guides/typescript.md.
 */
export async function followGettingStarted(
  folder: string,
  packed: readonly PackedPackage[],
): Promise<Outcome> {
  const startedAt = performance.now()
  const servers: ChildProcess[] = []
  try {
    await mkdir(folder, { recursive: true })
    await follow(folder, packed, servers)
    return { code: 0, output: '', seconds: (performance.now() - startedAt) / 1000 }
  } catch (error) {
    const output = error instanceof Error ? error.message : String(error)
    return { code: 1, output, seconds: (performance.now() - startedAt) / 1000 }
  } finally {
    servers.forEach(stop)
  }
}

async function follow(
  folder: string,
  packed: readonly PackedPackage[],
  servers: ChildProcess[],
): Promise<void> {
  const guide = await readFile(path.join(root, 'docs/guides/getting-started.md'), 'utf8')
  let cwd = folder
  let printed = ''
  for (const { language, file, text } of stepsOf(guide)) {
    if (file) await writeFile(path.join(cwd, file), text)
    else if (language === 'ini') await writeFile(path.join(cwd, '.env'), settings(text, printed))
    else if (/^npx latchkey-service dev$|^node .*app\.js$/m.test(text)) {
      printed = await serve(text, cwd, servers)
    } else {
      const commands = /npm install/.test(text) ? withTarballs(text, packed) : text
      const { code, output } = await run('bash', ['-euc', quiet + commands], {
        cwd,
        limitSeconds: INSTALL_SECONDS,
      })
      if (code !== 0) throw new Error(`${commands}\n${output}`)
      const [, entered] = /^cd (\S+)$/m.exec(text) ?? []
      if (entered) cwd = path.join(cwd, entered)
    }
  }
  await logIn(guide)
  await checkTypes(cwd)
}

/** Follows the set-up of docs/guides/typescript.md, with the application of this guide as `app.ts`. */
async function checkTypes(folder: string): Promise<void> {
  const from = (file: string): string => path.join(root, 'examples', file)
  await copyFile(from('getting-started/app.js'), path.join(folder, 'app.ts'))
  await copyFile(from('getting-started/tsconfig.json'), path.join(folder, 'tsconfig.json'))
  const commands = await readFile(from('guides/shell/typescript-install.sh'), 'utf8')
  const { code, output } = await run('bash', ['-euc', `${quiet}${commands}npx tsc`], {
    cwd: folder,
    limitSeconds: INSTALL_SECONDS,
  })
  if (code !== 0) throw new Error(`docs/guides/typescript.md: ${output}`)
}

function stepsOf(guide: string): Step[] {
  const blocks = guide.matchAll(/(?:<!-- \S*?([^/\s]+) -->\n)?^```(\w+)\n(.*?)^```$/gms)
  return [...blocks].map(([, file, language = '', text = '']) => ({ file, language, text }))
}

/** The same commands, with our packages from tarballs, those that they need in turn included. */
function withTarballs(text: string, packed: readonly PackedPackage[]): string {
  const named = packed.filter(({ manifest }) => new RegExp(`${manifest.name}\\b`).test(text))
  const others = packed.filter((one) => !named.includes(one))
  const overrides = others.map(
    ({ manifest, tarball }) => `'overrides.${manifest.name}=file:${tarball}'`,
  )
  const commands = text.replaceAll(/@latchkey\/[\w-]+/g, (name) => {
    return packed.find(({ manifest }) => manifest.name === name)?.tarball ?? name
  })
  return commands.replace(/^npm install/m, `npm pkg set ${overrides.join(' ')}\nnpm install`)
}

/** The lines that the service printed, under the names that the guide shows. */
function settings(shown: string, printed: string): string {
  return [...shown.matchAll(/^(\w+)=/gm)]
    .map(([, name]) => {
      const [line] = new RegExp(`${name}=\\S+`).exec(printed) ?? []
      if (!line) throw new Error(`latchkey-service dev does not print ${name}:\n${printed}`)
      return `${line}\n`
    })
    .join('')
}

/** Matches the line of `node --watch` for an application that has ended. It waits for a change of a file then. */
const FAILED = /^Failed running '.*/m

/**
 * Starts a command that goes on running; resolves with what it prints until it is ready. Fails if it ends, if `node --watch` says that the
 * application has ended, or after five minutes.
 */
export function serve(
  command: string,
  cwd: string,
  servers: ChildProcess[],
  ready = /Ctrl-C|Listening/,
): Promise<string> {
  const child = spawn('bash', ['-euc', command], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  servers.push(child)
  return new Promise((resolve, reject) => {
    let output = ''
    const fail = (how: string): void => reject(new Error(`${command} ${how}:\n${output}`))
    const timer = setTimeout(fail, INSTALL_SECONDS * 1_000, 'is not ready in five minutes').unref()
    const read = (chunk: Buffer): void => {
      output += chunk
      if (FAILED.test(output)) fail('has failed')
      if (!ready.test(output)) return
      clearTimeout(timer)
      resolve(output)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => fail(`ended with ${code}`))
  })
}

/** Ends a command with all processes that it has started. */
export function stop({ pid }: ChildProcess): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself, which was reported where it mattered.
  }
}

/** Opens the address of the guide, logs in with its user, and expects the text that it promises. */
async function logIn(guide: string): Promise<void> {
  const [, address = ''] = /Open <(\S+)>/.exec(guide) ?? []
  const [, email = '', password = ''] =
    /Log in as\s+`(.+?)`\s+with the password `(.+?)`/.exec(guide) ?? []
  const [, promised = ''] = /you land on the page you asked for:\s+`(.+?)`/.exec(guide) ?? []
  const text = await textAfterLogin(address, email, password)
  if (text !== promised) throw new Error(`The page shows "${text}" instead of "${promised}".`)
}

/** Opens a guarded page in a browser and logs in at our service; resolves with the text of that page. */
export async function textAfterLogin(
  address: string,
  email: string,
  password: string,
): Promise<string | null> {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.goto(address)
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await page.waitForURL(address)
    return await page.textContent('body')
  } finally {
    await browser.close()
  }
}
