import { hash } from 'node:crypto'
import type { TenantLogo } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'
import { type Reason, reason } from '../writes/reasons/index.ts'

/** The maximum size of a logo, in bytes. In base64, it fits into the largest body of the API. */
export const MAX_LOGO_BYTES = 131_072

/**
 * The maximum width and height of a logo, in pixels. A decoder in a browser or mail program needs 4
 * bytes for each pixel, even if the file is small.
 */
export const MAX_LOGO_SIDE = 2_048

interface Size {
  readonly width: number
  readonly height: number
}

interface Format {
  readonly type: TenantLogo['type']
  /** Whether the bytes begin with the signature of the format. */
  isFormat(bytes: Buffer): boolean
  /** The width and height in the header; `undefined` if the header is incomplete or has no size. */
  sizeOf(bytes: Buffer): Size | undefined
}

const textAt = (bytes: Buffer, start: number, end: number) => bytes.toString('latin1', start, end)

/**
 * The formats of a logo. The bytes alone determine the format, because a file name and a request
 * header are claims of the sender.
 *
 * @see PNG, Third Edition §5.2 and §11.2.1; ITU-T T.81 Annex B; RFC 9649 §2.3 to §2.7
 */
const formats: readonly Format[] = [
  {
    type: 'image/png',
    isFormat: (bytes) => textAt(bytes, 0, 8) === '\x89PNG\r\n\x1a\n',
    sizeOf(bytes) {
      if (bytes.length < 33 || textAt(bytes, 12, 16) !== 'IHDR') return undefined
      return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
    },
  },
  {
    type: 'image/jpeg',
    isFormat: (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff,
    sizeOf: sizeOfJpeg,
  },
  {
    type: 'image/webp',
    isFormat: (bytes) => textAt(bytes, 0, 4) === 'RIFF' && textAt(bytes, 8, 12) === 'WEBP',
    sizeOf: sizeOfWebp,
  },
]

/** The media types of a logo. */
export const logoTypes: readonly TenantLogo['type'][] = formats.map(({ type }) => type)

/**
 * The width and height of a JPEG. Segments are skipped by their lengths, up to the first segment
 * that describes a frame.
 */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1] as number
    // There may be any number of fill bytes before a marker.
    if (marker === 0xff) at += 1
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    } else if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda)) return undefined
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2))
  }
  return undefined
}

function sizeOfWebp(bytes: Buffer): Size | undefined {
  if (bytes.length < 30) return undefined
  switch (textAt(bytes, 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    case 'VP8 ':
      if (bytes.readUIntBE(23, 3) !== 0x9d012a) return undefined
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      if (bytes[20] !== 0x2f) return undefined
      const sides = bytes.readUInt32LE(21)
      return { width: (sides & 0x3fff) + 1, height: ((sides >>> 14) & 0x3fff) + 1 }
    }
    default:
      return undefined
  }
}

/**
 * Checks the bytes of an image, and returns its description. The pixels are not decoded, and
 * metadata in the file is kept.
 *
 * @throws ServiceError `invalid_request` if the image is too large, is cut off, or is not PNG, JPEG
 *   or WebP.
 */
export function checkLogo(bytes: Buffer): TenantLogo {
  if (bytes.length > MAX_LOGO_BYTES) refuse(reason('logo_too_large', { most: MAX_LOGO_BYTES }))
  const format = formats.find(({ isFormat }) => isFormat(bytes))
  if (!format) refuse(isMarkup(bytes) ? reason('logo_markup') : reason('logo_format'))
  const { width = 0, height = 0 } = format.sizeOf(bytes) ?? {}
  if (width === 0 || height === 0) refuse(reason('logo_cut'))
  if (width > MAX_LOGO_SIDE || height > MAX_LOGO_SIDE) {
    refuse(reason('logo_too_wide', { width, height, most: MAX_LOGO_SIDE }))
  }
  const digest = hash('sha256', bytes, 'hex')
  return { hash: digest, type: format.type, width, height, bytes: bytes.length }
}

/** Whether bytes look like SVG: XML, perhaps after a byte-order mark and spaces, or compressed. */
function isMarkup(bytes: Buffer): boolean {
  const start = bytes.toString('utf8', 0, 200).replace(/^[\ufeff\s]+/, '')
  return start.startsWith('<') || (bytes[0] === 0x1f && bytes[1] === 0x8b)
}

function refuse(because: Reason): never {
  throw new ServiceError('invalid_request', because)
}
