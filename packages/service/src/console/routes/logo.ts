import { offeredConnections } from '../../domain/connections/connections.ts'
import { checkLogo, MAX_LOGO_BYTES, MAX_LOGO_SIDE } from '../../domain/tenants/logo-image.ts'
import { setLogo } from '../../domain/tenants/logos.ts'
import { ServiceError } from '../../domain/writes/errors.ts'
import { reason } from '../../domain/writes/reasons/index.ts'
import {
  type ConsoleRoute,
  type Result,
  redirectTo,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../call.ts'
import { loginPreview } from '../login-preview.ts'
import { type Refused, refusedBy } from '../refused.ts'
import type { Upload } from '../uploads.ts'

/** A file is not kept during a new login, so the page asks for one before it is chosen. */
const OPTIONS = { needs: 'edit', isDangerous: true } as const

export const logoRoutes: readonly ConsoleRoute[] = [
  tenantPage('/settings/logo', (call) => showLogo(call), OPTIONS),
  tenantForm('/settings/logo', review, OPTIONS),
  tenantForm('/settings/logo/save', save, OPTIONS),
]

const pathOf = ({ tenant }: TenantCall) => `/console/t/${tenant.id}/settings/logo`

async function showLogo(call: TenantCall, refused: Refused = {}): Promise<Result> {
  const { tenant, scope, language } = call
  return {
    kind: 'page',
    name: 'logo',
    title: 'Logo',
    tenant,
    data: {
      ...{ logo: tenant.logo, base: pathOf(call), readAt: tenant.updatedAt },
      most: { bytes: MAX_LOGO_BYTES, side: MAX_LOGO_SIDE },
    },
    login: tenant.logo
      ? loginPreview(tenant, await offeredConnections(scope.context, tenant), language)
      : undefined,
    ...refused,
  }
}

/** Shows the pages with an image before it is saved. The form of the review carries the image, so nothing is stored. */
async function review(call: TenantCall): Promise<Result> {
  const { tenant, upload, scope, language, form } = call
  try {
    if (!upload) throw new ServiceError('invalid_request', reason('logo_no_file'))
    const bytes = await read(upload)
    const logo = checkLogo(bytes)
    const offered = await offeredConnections(scope.context, tenant)
    return {
      kind: 'page',
      name: 'logo-review',
      title: 'This changes',
      tenant,
      data: {
        ...{ before: tenant.logo, after: logo, base: pathOf(call) },
        image: bytes.toString('base64url'),
        readAt: form.get('read_at') ?? '',
      },
      login: loginPreview(
        tenant,
        offered,
        language,
        `data:${logo.type};base64,${bytes.toString('base64')}`,
      ),
    }
  } catch (error) {
    return showLogo(call, refusedBy(error))
  }
}

async function save(call: TenantCall): Promise<Result> {
  const { scope, form } = call
  try {
    const image = form.get('image') ?? ''
    if (image === '' && form.get('remove') !== 'true') {
      throw new ServiceError('invalid_request', reason('logo_no_file'))
    }
    const bytes = image === '' ? undefined : Buffer.from(image, 'base64url')
    await setLogo(scope, bytes, Number(form.get('read_at')))
    return redirectTo(pathOf(call), 'saved')
  } catch (error) {
    return showLogo(call, refusedBy(error))
  }
}

/** The bytes of a file, which is read no further than a logo may go. */
async function read({ bytes }: Upload): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of bytes) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_LOGO_BYTES) break
  }
  return Buffer.concat(chunks)
}
