import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * A sentence about a file or folder that cannot be used, with the path of the error. `undefined`
 * for an error that is about no path, or has an unknown code.
 */
export function fileFailure(
  error: unknown,
  purpose: 'read' | 'written' = 'written',
): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, path } = error as NodeJS.ErrnoException
  if (path === undefined) return undefined
  switch (code) {
    case 'EEXIST':
      return isFile(path)
        ? `${path} is a file; name a folder, or one that does not exist yet.`
        : `${path} exists already; name another.`
    case 'ENOTDIR':
      return `${path}: a part of this path is a file and no folder.`
    case 'EISDIR':
      return `${path} is a folder; name a file.`
    case 'ENOENT':
      return existsSync(dirname(path))
        ? `There is no file ${path}.`
        : `There is no folder ${dirname(path)}.`
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `${path} cannot be ${purpose} by this user (${code}). Change its owner or mode, or name another place.`
    case 'EPIPE':
      return `The reader of ${path} stopped before everything was written.`
    case 'ENOSPC':
    case 'EDQUOT':
      return `There is no space left for ${path} (${code}).`
    default:
      return undefined
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

/**
 * Reads the file that an argument names; `-` is standard input.
 *
 * @param option - The option that names the file. The error message begins with it.
 * @throws Error with a sentence about the file, if the file cannot be read.
 */
export function readInput(file: string, option?: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file)
  } catch (cause) {
    // Some errors have no path, such as the error for reading a folder.
    const failure = Object.assign(cause as Error, { path: file })
    const sentence = fileFailure(failure, 'read') ?? `${file} cannot be read: ${failure.message}`
    throw new Error(option === undefined ? sentence : `${option}: ${sentence}`, { cause })
  }
}
