import type { IncomingMessage, ServerResponse } from 'node:http'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { ServiceError } from '../../domain/writes/errors.ts'
import { reason } from '../../domain/writes/reasons/index.ts'
import { RequestRefused, readFields } from '../../issuer/requests/http.ts'

/** The maximum size of an uploaded file. */
const MAX_FILE_BYTES = 50 * 1024 * 1024

/** An uploaded file. It is read while it arrives. */
export interface Upload {
  /** The name of the file on the computer of the operator, cut to 200 characters. */
  readonly name: string
  /** @throws ServiceError `request_too_large` for a file over 50 MiB. */
  readonly bytes: AsyncIterable<Buffer>
}

/** A submitted form: its fields, and the file if it has one. */
export interface SentForm {
  readonly fields: URLSearchParams
  readonly upload?: Upload | undefined
}

/**
 * Reads a submitted form. A form with a file is read up to the file, so that the caller can read
 * the file while it arrives. Fields after the file are ignored.
 *
 * @param maxBytes - The maximum size of all fields together, in bytes.
 * @throws RequestRefused for a form that cannot be read or whose fields are too large.
 */
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
    size += Buffer.byteLength(value)
    if (isTruncated || size > maxBytes) reject(new RequestRefused(413, reason('form_too_large')))
    fields.append(name, value)
  })
  busboy.on('file', (_, stream, name) => {
    // If no file was chosen, browsers send an empty file without a name.
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
  // The response can be sent before the file was read. The rest of the request is discarded.
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
