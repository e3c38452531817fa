import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'

/**
 * Writes a new file with mode 0600, and syncs it to the disk.
 *
 * @param openContent - Opens the content, once the file exists.
 * @returns the SHA-256 digest of the written bytes, in hexadecimal.
 * @throws if the file already exists, or cannot be written completely. An incomplete file is
 *   deleted.
 */
export async function writePrivate(
  file: string,
  openContent: () => AsyncIterable<Uint8Array>,
): Promise<string> {
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    throw new Error(`${file} exists already; name another file, or delete this one first.`)
  })
  const digest = createHash('sha256')
  try {
    for await (const chunk of openContent()) {
      digest.update(chunk)
      await handle.writeFile(chunk)
    }
    await handle.sync()
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  return digest.digest('hex')
}

/** The SHA-256 digest of a file's content, in hexadecimal. */
export async function digestOf(file: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of createReadStream(file)) digest.update(chunk as Buffer)
  return digest.digest('hex')
}
