import { offeredConnections } from '../../../domain/connections/connections.ts'
import {
  checkLogo,
  logoTypes,
  MAX_LOGO_BYTES,
  MAX_LOGO_SIDE,
} from '../../../domain/tenants/logo-image.ts'
import { findLogo, setLogo } from '../../../domain/tenants/logos.ts'
import { ServiceError } from '../../../domain/writes/errors.ts'
import { reason } from '../../../domain/writes/reasons/index.ts'
import type { TenantLogo } from '../../../store/records.ts'
import {
  type ConsoleRoute,
  type Result,
  redirectTo,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../../calls/call.ts'
import { type Refused, refusedBy } from '../../forms/refused.ts'
import type { Upload } from '../../forms/uploads.ts'
import { dataUrl, type LoginPreview, loginPreview } from '../../pages/login-preview.ts'
import { message } from '../../texts/index.ts'

/**
 * The options of all routes of the logo. The page needs a recent login too, because a chosen file
 * cannot be kept during a re-authentication.
 */
const OPTIONS = { needs: 'edit', isDangerous: true } as const

export const logoRoutes: readonly ConsoleRoute[] = [
  tenantPage('/settings/logo', (call) => showLogo(call), OPTIONS),
  tenantForm('/settings/logo', review, OPTIONS),
  tenantForm('/settings/logo/save', save, OPTIONS),
]

const NOTE = message(
  'Look at both: the image has to be readable on {light} and on {dark}. One with a background of its own is.',
  { light: '#f3f4f8', dark: '#0f111a' },
)

const pathOf = ({ tenant }: TenantCall) => `/console/t/${tenant.id}/settings/logo`

async function showLogo(call: TenantCall, refused: Refused = {}): Promise<Result> {
  const { tenant, scope } = call
  // The preview gets the logo as a data URL, because the domain of a new tenant may not resolve
  // yet.
  const bytes = tenant.logo && (await findLogo(scope.context, tenant, tenant.logo.hash))
  return {
    kind: 'page',
    name: 'logo',
    title: 'Logo',
    tenant,
    data: {
      ...{ logo: tenant.logo, base: pathOf(call), readAt: tenant.updatedAt },
      note: NOTE,
      none: 'No image is uploaded. Pages and messages show the image at the URL among the settings, or the name.',
      hint: message(
        'PNG, JPEG or WebP, at most {bytes} bytes and {side} pixels a side. SVG is refused, as it can hold scripts. The file is shown as it is: the place and the camera in a photo stay in it.',
        { bytes: MAX_LOGO_BYTES, side: MAX_LOGO_SIDE },
      ),
      types: logoTypes.join(','),
    },
    login: bytes && tenant.logo && (await previewOf(call, tenant.logo, bytes)),
    ...refused,
  }
}

async function previewOf(
  { tenant, scope, language }: TenantCall,
  logo: TenantLogo,
  bytes: Buffer,
): Promise<LoginPreview> {
  const offered = await offeredConnections(scope.context, tenant)
  return loginPreview(tenant, offered, language, dataUrl(logo, bytes))
}

/**
 * Shows the login page with an uploaded logo before it is saved. The form of this page contains the
 * image, so that nothing is stored yet.
 */
async function review(call: TenantCall): Promise<Result> {
  const { tenant, upload, form } = call
  try {
    if (!upload) throw new ServiceError('invalid_request', reason('logo_no_file'))
    const bytes = await read(upload)
    const logo = checkLogo(bytes)
    return {
      kind: 'page',
      name: 'logo-review',
      title: 'This changes',
      tenant,
      data: {
        ...{ before: tenant.logo, after: logo, base: pathOf(call) },
        note: NOTE,
        replaces:
          'It takes the place of the image that is stored. Messages that were sent before show no image any more.',
        image: bytes.toString('base64url'),
        readAt: form.get('read_at') ?? '',
      },
      login: await previewOf(call, logo, bytes),
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

/** Reads an uploaded file. Stops reading when the file is larger than a logo may be. */
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
