import type { Json, Send } from '../request.ts'
import type { TenantTexts } from '../types.ts'
import { restoreZeros, zeros } from '../zero-values.ts'
import { segment } from './resource.ts'

/** The texts of mails and pages that a tenant has of its own. */
export interface Texts {
  get(): Promise<TenantTexts>
  /** Replaces all texts. If you leave a text out, the service's own text is used again. */
  replace(texts: Pick<Partial<TenantTexts>, 'en' | 'de'>): Promise<TenantTexts>
}

export function createTexts(send: Send, tenantId: string): Texts {
  const path = `/x/v1/tenants/${segment(tenantId)}/texts`
  const restore = (texts: Json) => restoreZeros<TenantTexts>(texts, zeros.TenantTexts)
  return {
    get: async () => restore((await send({ method: 'GET', path, isRepeatable: true })).body),
    // Replacing twice is the same as replacing once.
    replace: async (texts) =>
      restore((await send({ method: 'POST', path, body: { ...texts }, isRepeatable: true })).body),
  }
}
