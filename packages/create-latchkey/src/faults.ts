import { readdirSync } from 'node:fs'
import path from 'node:path'
import validatePackageName from 'validate-npm-package-name'
import type { Answers } from './answers.ts'
import { dependenciesOf } from './packages.ts'

/**
 * The reason why no application can be created in a folder, as a sentence; `undefined` if the
 * folder can be used. Writes nothing.
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

/**
 * The fault of a folder that has the name of a package that the application installs; `undefined`
 * for any other name.
 */
export function faultOfName(folder: string, answers: Answers): string | undefined {
  const name = packageNameOf(folder)
  if (!dependenciesOf(answers).includes(name)) return undefined
  return `The application installs a package named "${name}" and cannot have the same name. Name the folder differently, such as my-app.`
}

/**
 * The fault of a setting that some readers of `.env` would read as another value. The message does
 * not contain the value.
 */
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
 * The characters with a meaning in `.env` (comments, quotes, variables), spaces, line breaks, and
 * characters outside of ASCII.
 */
const CHANGED_IN_ENV = /[#'"`$\\\s]|[^\x20-\x7e]/

/** The package name of an application, which is the name of its folder. */
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

/** The reason why a text cannot be an issuer, as a sentence; `undefined` if it can. */
export function faultOfIssuer(text: string): string | undefined {
  const url = URL.parse(text)
  const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))
  if (url && isWeb && !url.search && !url.hash && !url.username && !url.password) return undefined
  return 'It must be an https address such as https://login.example.com; on this machine, http is allowed.'
}

function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
