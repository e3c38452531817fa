import type { IdentityService } from '@latchkey/service'
import { expect } from 'vitest'
import type { connectApi } from './api.ts'
import { pngOf } from './images.ts'

/** Uploads a logo through the API, and looks for it in another service with the same data. */
export async function uploadLogo(api: ReturnType<typeof connectApi>, tenantId: string) {
  const image = pngOf(220, 60)
  const { body } = await api.call('POST', `/x/v1/tenants/${tenantId}/logo`, {
    image: image.toString('base64'),
  })
  expect(body).toMatchObject({ type: 'TenantLogo', bytes: image.length })
  return {
    /** Expects its bytes where the tenant has them, and its URL on a page of the tenant. */
    async expectAt(service: IdentityService): Promise<void> {
      const served = await service.fetch(body.url)
      expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png'])
      expect(Buffer.from(await served.arrayBuffer())).toEqual(image)
      const page = await service.fetch(new URL('/reset', body.url).href)
      expect(await page.text()).toContain(`src="${new URL(body.url).pathname}"`)
    },
  }
}
