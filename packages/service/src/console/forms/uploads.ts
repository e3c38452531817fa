import type { IncomingMessage, ServerResponse } from 'node:http'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { ServiceError } from '../../domain/writes/errors.ts'
import { reason } from '../../domain/writes/reasons/index.ts'
import { RequestRefused, readFields } from '../../issuer/requests/http.ts'

/** The most bytes of a file. */
const MAX_FILE_BYTES = 50 * 1024 * 1024

/** A file that a form sends, which is read while it arrives. */
export interface Upload {
  readonly name: string
  /** @throws ServiceError `request_too_large`. */
  readonly bytes: AsyncIterable<Buffer>
}

/** The fields of a form, and the file that follows them. */
export interface SentForm {
  readonly fields: URLSearchParams
  readonly upload?: Upload | undefined
}

/** Reads a form: whole, or, if it sends a file, up to the file. Fields behind the file are left out. */
export async function readSent(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
): Promise<SentForm> {
  const type = request.headers['content-type'] ?? ''
  if (!/^multipart\/form-data *;/i.test(type))
    return { fields: await readFields(request, maxBytes) }
  return readMultipart(request, response, maxBytes)
}

function readMultipart(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
): Promise<SentForm> {
  const fields = new URLSearchParams()
  const { promise, resolve, reject } = Promise.withResolvers<SentForm>()
  const refuse = () => reject(new RequestRefused(400, reason('form_unreadable')))
  let busboy: BusboyInstance
  try {
    busboy = new Busboy({
      headers: request.headers as { 'content-type': string },
      limits: { files: 1, fields: 50, fieldSize: maxBytes, fileSize: MAX_FILE_BYTES },
    })
  } catch {
    refuse()
    return promise
  }
  let size = 0
  busboy.on('field', (name, value, _, isTruncated) => {
    size += value.length
    if (isTruncated || size > maxBytes) reject(new RequestRefused(413, reason('form_too_large')))
    fields.append(name, value)
  })
  busboy.on('file', (_, stream, name) => {
    // A form whose file was not chosen sends an empty one without a name.
    if (!name) return void stream.resume()
    const breakOff = () => {
      if (!request.complete) stream.destroy(new RequestRefused(400, reason('upload_incomplete')))
    }
    request.once('close', breakOff)
    resolve({ fields, upload: { name: name.slice(0, 200), bytes: read(stream) } })
  })
  busboy.on('finish', () => resolve({ fields }))
  busboy.on('error', refuse)
  request.pipe(busboy)
  // A refused file is not read; what still arrives of it is thrown away.
  response.once('finish', () => {
    request.unpipe(busboy)
    request.resume()
  })
  return promise
}

async function* read(stream: AsyncIterable<unknown> & { truncated?: boolean }) {
  for await (const chunk of stream) yield chunk as Buffer
  if (stream.truncated) {
    throw new ServiceError('request_too_large', reason('import_too_large'))
  }
}
