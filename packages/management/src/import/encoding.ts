import { isUtf8 } from 'node:buffer'
import { FileFault } from './file-fault.ts'

/** The encodings that a file can have. `latin1` means Windows-1252, as in browsers. */
export const encodings = ['utf8', 'latin1'] as const

export type Encoding = (typeof encodings)[number]

const LABELS: Readonly<Record<Encoding, string>> = { utf8: 'utf-8', latin1: 'windows-1252' }

/**
 * Decodes the bytes of a file, one chunk at a time.
 *
 * @throws FileFault with the line of the first bytes that are not UTF-8. Replacing such bytes would
 *   store wrong names.
 */
export async function* readText(
  file: string,
  bytes: AsyncIterable<Buffer>,
  encoding: Encoding,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(LABELS[encoding], { fatal: true, ignoreBOM: true })
  const notUtf8 = (line: number) =>
    new FileFault(
      `${file}, line ${line}: this is not UTF-8. If it is Latin-1, say --encoding latin1.`,
      'not_utf8',
      { line },
    )
  let line = 1
  let begun: Buffer = Buffer.alloc(0)
  for await (const chunk of bytes) {
    let text: string
    try {
      text = decoder.decode(chunk, { stream: true })
    } catch {
      throw notUtf8(line + goodLines(Buffer.concat([begun, chunk])))
    }
    yield text
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) line++
    begun = incompleteEnd(chunk)
  }
  if (encoding === 'utf8' && begun.length > 0) throw notUtf8(line)
}

/** The number of complete lines before the first line that is not UTF-8. */
function goodLines(bytes: Buffer): number {
  let lines = 0
  for (let from = 0; ; lines++) {
    const end = bytes.indexOf('\n', from)
    if (end === -1 || !isUtf8(bytes.subarray(from, end))) return lines
    from = end + 1
  }
}

/**
 * The bytes at the end of a chunk that begin a character. The next chunk has the rest of that
 * character.
 */
function incompleteEnd(bytes: Buffer): Buffer {
  for (let length = 1; length <= 3; length++) {
    const byte = bytes.at(-length) ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const whole = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return bytes.subarray(whole > length ? -length : bytes.length)
  }
  return bytes.subarray(bytes.length)
}
