import type { IdentityService } from '@latchkey/service'

/** A function that calls the management API: with GET, or with POST if there is a body. */
// biome-ignore lint/suspicious/noExplicitAny: what an API answers has the shape that it documents
export type Call = (path: string, body?: object) => Promise<any>

/**
 * Makes the function that calls the management API of a service in this process. A call rejects
 * with the service's description of the fault.
 */
export function createCall(service: IdentityService, apiKey: string): Call {
  return async (path, body) => {
    const response = await service.fetch(`https://api.internal${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (response.ok) return response.json()
    const detail = response.headers.get('latchkey-error-detail')
    throw new Error(detail ?? `The identity answered ${path} with ${response.status}.`)
  }
}
