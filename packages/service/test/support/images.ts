import { crc32, deflateSync } from 'node:zlib'

/** A PNG image that any decoder reads: of one color, with transparency. `sides` are what its header says of itself. */
export function pngOf(width: number, height: number, sides = { width, height }): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(sides.width, 0)
  header.writeUInt32BE(sides.height, 4)
  header.set([8, 6, 0, 0, 0], 8)
  const row = [0, ...Array.from({ length: width }, () => [0x7a, 0x1f, 0x5c, 0xff]).flat()]
  const rows = deflateSync(Buffer.from(Array.from({ length: height }, () => row).flat()))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, sum])
}

/** The first bytes of a JPEG image with metadata in front of its size, as a camera writes it. */
export function jpegOf(width: number, height: number, metadata = 'Exif\0\0GPS'): Buffer {
  const exif = Buffer.from(`\xff\xe1\0\0${metadata}`, 'latin1')
  exif.writeUInt16BE(exif.length - 2, 2)
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([Buffer.from([0xff, 0xd8]), exif, frame, Buffer.from([0xff, 0xd9])])
}

/** The first bytes of a WebP image: lossy, lossless or extended. */
export function webpOf(kind: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Buffer {
  const image = Buffer.alloc(40)
  image.write('RIFF', 0)
  image.writeUInt32LE(image.length - 8, 4)
  image.write(`WEBP${kind}`, 8)
  image.writeUInt32LE(image.length - 20, 16)
  if (kind === 'VP8 ') {
    image.set([0x9d, 0x01, 0x2a], 23)
    image.writeUInt16LE(width, 26)
    image.writeUInt16LE(height, 28)
  } else if (kind === 'VP8L') {
    image[20] = 0x2f
    image.writeUInt32LE((width - 1) | ((height - 1) << 14), 21)
  } else {
    image.writeUIntLE(width - 1, 24, 3)
    image.writeUIntLE(height - 1, 27, 3)
  }
  return image
}
