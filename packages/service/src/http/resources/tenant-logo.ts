import { z } from 'zod'
import { MAX_LOGO_BYTES, MAX_LOGO_SIDE } from '../../domain/tenants/logo-image.ts'
import { setLogo } from '../../domain/tenants/logos.ts'
import { absoluteLogo } from '../../domain/tenants/tenant-features.ts'
import { getTenant } from '../../domain/tenants/tenants.ts'
import { ServiceError } from '../../domain/writes/errors.ts'
import { reason } from '../../domain/writes/reasons/index.ts'
import type { Tenant } from '../../store/records.ts'
import { type Route, write } from '../route.ts'

const path = '/x/v1/tenants/:tenant_id/logo'

const logoBody = z
  .object({
    type: z.unknown().optional().meta({ description: '"TenantLogo"; ignored.' }),
    image: z.string().nullish().meta({
      description: 'The bytes in base64. A missing, empty or null one takes the logo away.',
    }),
  })
  .catchall(z.unknown())
  .meta({
    description: `A PNG, JPEG or WebP image of at most ${MAX_LOGO_BYTES} bytes and ${MAX_LOGO_SIDE} pixels a side; the bytes say which one it is. SVG is refused. The image is stored and served as it is, with its metadata.`,
  })

/** The accepted members of the body. Only `image` has an effect. */
const MEMBERS = ['type', 'image']

/** The routes of a tenant's uploaded logo. */
export const tenantLogoRoutes: Route[] = [
  {
    kind: 'get',
    path,
    operationId: 'getLogo',
    summary: 'The logo that a tenant has uploaded',
    resource: 'TenantLogo',
    run: async ({ scope }) => serializeLogo(await getTenant(scope)),
  },
  write({
    path,
    operationId: 'updateLogo',
    summary: 'Replace the logo of a tenant, or take it away',
    resource: 'TenantLogo',
    body: logoBody,
    async run({ scope }, body) {
      const name = Object.keys(body).find((member) => !MEMBERS.includes(member))
      if (name !== undefined)
        throw new ServiceError('invalid_request', reason('logo_member', { name }))
      return serializeLogo(await setLogo(scope, body.image ? decoded(body.image) : undefined))
    },
  }),
]

/**
 * Decodes base64 in its canonical form, with or without padding. `Buffer.from` would ignore invalid
 * characters.
 */
function decoded(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64').replace(/=+$/, '') !== text.replace(/={0,2}$/, '')) {
    throw new ServiceError('invalid_request', reason('logo_base64'))
  }
  return bytes
}

function serializeLogo(tenant: Tenant): object {
  const { logo } = tenant
  if (!logo) return { type: 'TenantLogo' }
  const { hash, type, width, height, bytes } = logo
  return {
    ...{ type: 'TenantLogo', url: absoluteLogo(tenant), sha256: hash, content_type: type },
    ...{ width, height, bytes },
  }
}
