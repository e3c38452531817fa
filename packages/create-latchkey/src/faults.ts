import { readdirSync } from 'node:fs'
import path from 'node:path'
import validatePackageName from 'validate-npm-package-name'
import type { Answers } from './answers.ts'
import { dependenciesOf } from './packages.ts'

/**
 * The reason why no application can be made in a folder, as a sentence; `undefined` if one can.
 * Writes nothing.
 *
 * @param folder - A path as the user gave it, relative to the working directory.
 */
export function faultOfFolder(folder: string): string | undefined {
  const name = packageNameOf(folder)
  const { validForNewPackages, errors = [], warnings = [] } = validatePackageName(name)
  if (!validForNewPackages) {
    const reasons = [...errors, ...warnings].join(', ')
    return `"${name}" cannot be the name of a package: ${reasons}. Name the folder differently, such as my-app.`
  }
  return faultOfPlace(folder)
}

/** The fault of a folder with the name of a package that the application installs. */
export function faultOfName(folder: string, answers: Answers): string | undefined {
  const name = packageNameOf(folder)
  if (!dependenciesOf(answers).includes(name)) return undefined
  return `The application installs a package named "${name}" and cannot have the same name. Name the folder differently, such as my-app.`
}

/** The fault of a setting that readers of `.env` would read as another value. It does not contain the value. */
export function faultOfSettings({ provider }: Answers): string | undefined {
  if (provider.name === 'service') return undefined
  const settings = {
    'The issuer': provider.issuer,
    'The client ID': provider.clientId,
    'The client secret': provider.clientSecret,
  }
  const [name] = Object.entries(settings).find(([, value]) => CHANGED_IN_ENV.test(value)) ?? []
  return (
    name &&
    `${name} has a character that files like .env read in different ways, such as #, $ or a quote. Leave it empty, and write it into .env in the form that your framework reads.`
  )
}

/**
 * Characters with a meaning in `.env` (comments, quotes, variables), spaces, line breaks, and
 * letters outside of ASCII.
 */
const CHANGED_IN_ENV = /[#'"`$\\\s]|[^\x20-\x7e]/

/** The name of the package, which is the name of the folder. */
export function packageNameOf(folder: string): string {
  return path.basename(path.resolve(folder))
}

function faultOfPlace(folder: string): string | undefined {
  try {
    if (readdirSync(folder).length === 0) return undefined
    return `The folder ${folder} is not empty, so it was left as it is. Name a folder that does not exist yet.`
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'ENOTDIR') return `${folder} is a file; name a folder that does not exist yet.`
    return `The folder ${folder} cannot be read (${code}).`
  }
}

/** The reason why an address cannot be an issuer's, as a sentence; `undefined` if it can. */
export function faultOfIssuer(text: string): string | undefined {
  const url = URL.parse(text)
  const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))
  if (url && isWeb && !url.search && !url.hash && !url.username && !url.password) return undefined
  return 'It must be an https address such as https://login.example.com; on this machine, http is allowed.'
}

function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
