import { type FileHandle, open } from 'node:fs/promises'

/** A line of the list: 40 hexadecimal digits, with or without `:` and a number of occurrences. */
const LINE = /^[0-9A-F]{40}(?::\d+)?$/i

/** An upper limit for the bytes of a line, including the line breaks before and after the line. */
const MAX_LINE_BYTES = 128

/** A list of SHA-1 hashes on disk. */
export interface HashList {
  /**
   * Whether the list has a hash of 40 upper-case hexadecimal digits.
   *
   * @throws if the file cannot be read, or if the search meets a malformed line. The result `false`
   *   would then accept a leaked password.
   */
  has(sha1: string): Promise<boolean>
  close(): Promise<void>
}

/**
 * Opens a sorted file with one SHA-1 hash per line, as the downloader of Pwned Passwords writes it.
 * The file stays on disk. A look-up is a binary search, which reads about 36 lines of a 40 GB file.
 *
 * @throws with a sentence if the file cannot be read, or if its first or last line is not such a
 *   hash.
 */
export async function openHashList(path: string): Promise<HashList> {
  const file = await open(path).catch((cause: Error) => {
    throw new Error(`The list of leaked passwords ${path} cannot be read: ${cause.message}`, {
      cause,
    })
  })
  try {
    const { size } = await file.stat()
    const [first, last] = [await lineAt(file, 0), await lineAt(file, Math.max(0, size - 2))]
    if (!LINE.test(first.text) || !LINE.test(last.text)) throw unsorted(path)
    if (hashIn(first) > hashIn(last)) throw unsorted(path)
    return {
      async has(sha1) {
        const found = await has(file, size, sha1)
        if (found === undefined) throw unsorted(path)
        return found
      },
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

function unsorted(path: string): Error {
  return new Error(
    `The list of leaked passwords ${path} must have a SHA-1 of 40 hexadecimal digits in each line, sorted. The downloader of Pwned Passwords writes it so with its option for a single file.`,
  )
}

/** A line of the file. `start` and `next` are the positions of this and the next line, in bytes. */
interface Line {
  text: string
  start: number
  next: number
}

function hashIn({ text }: Line): string {
  return text.slice(0, 40).toUpperCase()
}

/** Whether a hash is in the file; `undefined` if the search meets a malformed line. */
async function has(file: FileHandle, size: number, sha1: string): Promise<boolean | undefined> {
  let [low, high] = [0, size]
  while (low < high) {
    const line = await lineAt(file, low + Math.floor((high - low) / 2))
    if (!LINE.test(line.text)) return undefined
    const hash = hashIn(line)
    if (hash === sha1) return true
    if (hash < sha1) low = line.next
    else high = line.start
  }
  return false
}

/** The line that contains the byte at a position. */
async function lineAt(file: FileHandle, place: number): Promise<Line> {
  const from = Math.max(0, place - MAX_LINE_BYTES)
  const buffer = Buffer.alloc(2 * MAX_LINE_BYTES)
  const { bytesRead } = await file.read(buffer, 0, buffer.length, from)
  const bytes = buffer.subarray(0, bytesRead)
  // A line break belongs to the line before it.
  const before = place === from ? -1 : bytes.lastIndexOf(10, place - from - 1)
  const end = bytes.indexOf(10, place - from)
  const until = end < 0 ? bytesRead : end
  return {
    text: bytes.toString('latin1', before + 1, until).trimEnd(),
    start: from + before + 1,
    next: from + until + 1,
  }
}
