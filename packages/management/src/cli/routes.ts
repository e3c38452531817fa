import { createHash } from 'node:crypto'
import type { Command } from 'commander'
import { Exit, exitCodes } from '../command-line/exit-codes.ts'
import { type JsonOptions, printResult, withJson } from '../command-line/output.ts'
import { oneLine } from '../command-line/terminal.ts'
import { urlBelow } from '../doctor/url-below.ts'
import type { Application } from '../types.ts'
import { connect, requireUrl, type TenantOptions, tenantOf, withTenant } from './options.ts'

interface SyncOptions extends TenantOptions, JsonOptions {
  baseUrl: string
  application?: string
  login: string
  callback: string
  issuer?: string
  logout: string
  replace?: boolean
  check?: boolean
}

type Urls = Pick<Application, 'login_url' | 'logout_urls' | 'redirect_urls'>

/** Adds `routes sync`. */
export function addRoutesCommand(program: Command): void {
  const routes = program.command('routes').description('Register the routes of an application.')
  withJson(withTenant(routes.command('sync')))
    .description('Register login_url, redirect_urls and logout_urls; shows the difference first.')
    .requiredOption('--base-url <url>', 'where the application is, such as https://shop.example')
    .option('--application <id>', 'which one (default: the only one)')
    .option('--login <path>', 'route that starts a login', '/login')
    .option('--callback <path>', 'route that receives the user after a login', '/callback')
    .option(
      '--issuer <url>',
      'this issuer, for an application whose issuer is a function: the redirect URL has its id',
    )
    .option('--logout <path>', 'where the user lands after a logout', '/')
    .option('--replace', 'remove the other redirect and logout URLs')
    .option('--check', `change nothing; exit with ${exitCodes.faults} when something differs`)
    .addHelpText(
      'after',
      '\nExample:\n  latchkey routes sync --application app_… --base-url https://shop.example',
    )
    .action(sync)
}

async function sync(options: SyncOptions): Promise<void> {
  requireUrl('--base-url', options.baseUrl)
  if (options.issuer !== undefined) requireUrl('--issuer', options.issuer)
  const client = connect(options)
  const applications = client.applications(await tenantOf(client, options))
  const id = options.application ?? (await onlyOne(applications.list()))
  const before = await applications.get(id)
  const after = wanted(before, options)
  const changes = difference(before, after)
  const isDone = changes.length > 0 && !options.check
  if (isDone) {
    await applications.update(id, (application) => ({
      ...application,
      ...wanted(application, options),
    }))
  }
  const lines = changes.map(({ change, member, url }) => `${change} ${member}  ${url}`)
  if (isDone) lines.push(`Registered at ${before.name || id}.`)
  const words = lines.length === 0 ? 'Nothing to change.' : lines.map(oneLine).join('\n')
  printResult({ application: id, changes, registered: isDone }, options, words)
  if (changes.length > 0 && options.check) throw new Exit(exitCodes.faults)
}

function wanted(before: Urls, options: SyncOptions): Urls {
  const url = (path: string) => urlBelow(options.baseUrl, path)
  const merged = (urls: string[], path: string) =>
    options.replace ? [url(path)] : [...new Set([...urls, url(path)])]
  return {
    login_url: url(options.login),
    redirect_urls: merged(before.redirect_urls, callbackOf(options)),
    logout_urls: merged(before.logout_urls, options.logout),
  }
}

/**
 * The path of the callback. With `--issuer`, the path ends with the id that the kit derives from
 * that issuer, because the application has several issuers.
 */
function callbackOf({ callback, issuer }: SyncOptions): string {
  if (issuer === undefined) return callback
  const hash = createHash('sha256').update(new URL(issuer).href).digest('hex')
  return `${callback}/${hash.slice(0, 24)}`
}

/** A URL that `sync` removes (`-`) or adds (`+`). */
interface UrlChange {
  change: '-' | '+'
  member: keyof Urls
  url: string
}

function difference(before: Urls, after: Urls): UrlChange[] {
  const members = ['login_url', 'redirect_urls', 'logout_urls'] as const
  return members.flatMap((member) => {
    const old = [before[member]].flat().filter((url) => url !== '')
    const next = [after[member]].flat()
    const gone = old.filter((url) => !next.includes(url))
    const come = next.filter((url) => !old.includes(url))
    return [
      ...gone.map((url) => ({ change: '-', member, url }) as const),
      ...come.map((url) => ({ change: '+', member, url }) as const),
    ]
  })
}

async function onlyOne(applications: AsyncIterable<Application>): Promise<string> {
  const all = await Array.fromAsync(applications)
  const [first, ...others] = all
  if (first && others.length === 0) return first.id
  const ids = all.map(({ id, name }) => `  ${id}  ${name}`).join('\n')
  throw new Error(
    first
      ? `There are several applications; choose one with --application:\n${ids}`
      : 'There is no application; make one with "latchkey applications create".',
  )
}
