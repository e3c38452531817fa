import { statSync } from 'node:fs'

/**
 * A sentence for a file or folder that the system refuses; `undefined` for any other error. The path is the one that the
 * operator named, or one within it.
 */
export function fileFailure(error: unknown): string | undefined {
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
      return `There is no file ${path}.`
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `${path} cannot be written by this user (${code}). Change its owner or mode, or name another place.`
    default:
      return undefined
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
