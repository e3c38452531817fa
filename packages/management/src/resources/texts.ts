import type { Json, Send } from '../request.ts'
import type { TenantTexts } from '../types.ts'
import { restoreZeros, zeros } from '../zero-values.ts'
import { segment } from './resource.ts'

/** The tenant's own texts for mails and pages. */
export interface Texts {
  get(): Promise<TenantTexts>
  /** Replaces all texts. For a text that you leave out, the service's default text is used. */
  replace(texts: Pick<Partial<TenantTexts>, 'en' | 'de'>): Promise<TenantTexts>
}

export function createTexts(send: Send, tenantId: string): Texts {
  const path = `/x/v1/tenants/${segment(tenantId)}/texts`
  const restore = (texts: Json) => restoreZeros<TenantTexts>(texts, zeros.TenantTexts)
  return {
    get: async () => restore((await send({ method: 'GET', path, isRepeatable: true })).body),
    // The request is repeatable: replacing the texts twice has the same result as once.
    replace: async (texts) =>
      restore((await send({ method: 'POST', path, body: { ...texts }, isRepeatable: true })).body),
  }
}
