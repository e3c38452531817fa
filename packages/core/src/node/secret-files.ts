import { ConfigError } from '../errors/errors.ts'

type ConfigFault = ConfigError['faults'][number]
type Environment = Readonly<Record<string, string | undefined>>

const FILES = ['LATCHKEY_CLIENT_SECRET_FILE', 'LATCHKEY_SESSION_SECRET_FILE']

/** The size of the largest file that is read as a secret, in bytes. */
const MAX_BYTES = 65_536

/**
 * Adds the secrets that are in files to the environment. A variable such as
 * `LATCHKEY_CLIENT_SECRET_FILE` names the file of the secret `LATCHKEY_CLIENT_SECRET`, for the
 * secrets that Docker and Kubernetes mount. Line breaks at the end of a file are removed.
 *
 * @throws {@link ConfigError} if a variable and its file are both set, or a file cannot be read, is
 *   empty, is larger than 64 KiB, or is not text. The message has no part of the content.
 */
export function withSecretFiles(environment: Environment): Environment {
  const faults: ConfigFault[] = []
  const read: Record<string, string> = {}
  for (const option of FILES) {
    const variable = option.slice(0, -'_FILE'.length)
    const file = environment[option]
    if (!file) continue
    const found = environment[variable]
      ? { fault: `is set beside ${variable}. Remove one of them.` }
      : readSecret(file)
    if (typeof found === 'string') read[variable] = found
    else faults.push({ option, remedy: found.fault })
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.keys(read).length === 0 ? environment : { ...environment, ...read }
}

function readSecret(file: string): string | { fault: string } {
  // Not an `import`, which would load streams of files at each start.
  const { readFileSync, statSync } = process.getBuiltinModule('node:fs')
  try {
    const found = statSync(file)
    if (!found.isFile()) return { fault: `names ${file}, which is no file.` }
    if (found.size > MAX_BYTES) return { fault: `names ${file}, which is larger than 64 KiB.` }
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
    const secret = text.replace(/[\r\n]+$/, '')
    return secret.trim() === '' ? { fault: `names ${file}, which is empty.` } : secret
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { fault: `names ${file}, which does not exist.` }
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      return { fault: `names ${file}, which is not text in UTF-8.` }
    }
    return { fault: `names ${file}, which cannot be read (${code}).` }
  }
}
