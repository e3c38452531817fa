import type { Json, Send } from '../request.ts'
import type { TenantLogo } from '../types.ts'
import { restoreZeros, zeros } from '../zero-values.ts'
import { segment } from './resource.ts'

/** The logo that a tenant has uploaded. */
export interface Logo {
  get(): Promise<TenantLogo>
  /**
   * Replaces the logo with a PNG, JPEG or WebP image of at most 131,072 bytes and 2,048 pixels a
   * side. SVG is refused.
   */
  replace(image: Uint8Array): Promise<TenantLogo>
  /**
   * Deletes the uploaded logo. Pages then show the image of the setting `latchkey_logo_url`, or the
   * name of the tenant.
   */
  remove(): Promise<TenantLogo>
}

export function createLogo(send: Send, tenantId: string): Logo {
  const path = `/x/v1/tenants/${segment(tenantId)}/logo`
  const restore = (logo: Json) => restoreZeros<TenantLogo>(logo, zeros.TenantLogo)
  // The request is repeatable: replacing the logo twice has the same result as once.
  const write = async (body: { image?: string }) =>
    restore((await send({ method: 'POST', path, body, isRepeatable: true })).body)
  return {
    get: async () => restore((await send({ method: 'GET', path, isRepeatable: true })).body),
    replace: (image) => write({ image: base64Of(image) }),
    remove: () => write({}),
  }
}

/**
 * Encodes bytes as Base64 without `Buffer`, because the client also runs on platforms that have
 * only `fetch`.
 */
function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
