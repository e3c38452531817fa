import { open } from 'node:fs/promises'
import { FileFault } from './file-fault.ts'
import type { FileFormat } from './source.ts'

/** The number of bytes from which the format of a file is recognized. */
const SAMPLE_BYTES = 1 << 20

/**
 * Detects the format of a file from its content, because the file name may be misleading.
 *
 * @throws FileFault if the file is in UTF-16, or compressed. The message says how to convert it.
 */
export async function detectFormat(file: string): Promise<FileFormat> {
  return formatOf(file, await readSample(file))
}

/** Detects the format of a file from its first bytes; see {@link detectFormat}. */
export function formatOf(file: string, sample: Buffer): FileFormat {
  const fault = unreadable(file, sample)
  if (fault) throw fault
  // The formats differ in ASCII characters, which have the same bytes in both encodings.
  const text = sample.toString('latin1').replace(/^ï»¿/, '').trimStart()
  if (text.startsWith('[')) return 'json'
  if (!text.startsWith('{')) return 'csv'
  return isLines(text) ? 'ndjson' : 'json'
}

async function readSample(file: string): Promise<Buffer> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

function unreadable(file: string, sample: Buffer): FileFault | undefined {
  const encoding = wideEncoding(sample)
  if (encoding) {
    return new FileFault(
      `${file} is ${encoding}; convert it first: iconv -f ${encoding} -t UTF-8 ${file} > ${file}.utf8`,
      'encoding',
      { encoding },
    )
  }
  if (sample[0] === 0x1f && sample[1] === 0x8b) {
    return new FileFault(
      `${file} is compressed by gzip; unpack it first: gunzip -c ${file} > ${file}.unpacked`,
      'gzip',
    )
  }
  if (sample.subarray(0, 4).equals(Buffer.from('PK\x03\x04'))) {
    return new FileFault(
      `${file} is a ZIP archive or a workbook; unpack it, or save the workbook as CSV in UTF-8.`,
      'zip',
    )
  }
  return undefined
}

/**
 * The name of the encoding if the sample is UTF-16, otherwise `undefined`. UTF-16 is recognized by
 * the byte order mark, or by a zero byte in the first character.
 */
function wideEncoding(sample: Buffer): string | undefined {
  const [first, second] = sample
  if (first === 0xff && second === 0xfe) return 'UTF-16LE'
  if (first === 0xfe && second === 0xff) return 'UTF-16BE'
  if (second === 0 && first !== 0) return 'UTF-16LE'
  return first === 0 && second !== 0 && second !== undefined ? 'UTF-16BE' : undefined
}

/**
 * Whether the text has one object per line. Only the first line is parsed. If the line is not valid
 * JSON, the beginning of the second line decides. An object with an array `users` is a whole file,
 * even on one line.
 */
function isLines(text: string): boolean {
  const [first = '', second = ''] = text.split(/\r?\n/, 2)
  try {
    const value: unknown = JSON.parse(first)
    return !Object.entries(value ?? {}).some(
      ([name, list]) => name.toLowerCase() === 'users' && Array.isArray(list),
    )
  } catch {
    return second.startsWith('{') && !/[[{,:]\s*$/.test(first)
  }
}
