import type { Metadata, Tenant } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'

/** The key of a tenant's metadata that says whether users may delete their own accounts. */
const DELETION_KEY = 'latchkey_account_deletion'
/** The key of a tenant's metadata that says whether users are told of logins on new devices. */
const DEVICE_KEY = 'latchkey_new_device_mail'
/** The key of a tenant's metadata that says whether another operator has to confirm a new address of a user. */
export const FOUR_EYES_KEY = 'latchkey_four_eyes'
/** The key of a tenant's metadata with the color of buttons and links. */
export const COLOR_KEY = 'latchkey_brand_color'
/** The key of a tenant's metadata with the address of the image above every page. */
export const LOGO_KEY = 'latchkey_logo_url'

const RULES: Readonly<Record<string, { isGood(value: string): boolean; wanted: string }>> = {
  [DELETION_KEY]: {
    isGood: (value) => value === 'true' || value === 'false',
    wanted: '"true" or "false", which is the default',
  },
  [DEVICE_KEY]: {
    isGood: (value) => value === 'true' || value === 'false',
    wanted: '"true", which is the default, or "false"',
  },
  [FOUR_EYES_KEY]: {
    isGood: (value) => value === 'true' || value === 'false',
    wanted: '"true", which is the default, or "false"',
  },
  [COLOR_KEY]: { isGood: isColor, wanted: 'a color such as #3b46c8' },
  [LOGO_KEY]: { isGood: isImageUrl, wanted: 'an https:// URL of an image, without a fragment' },
}

/** Refuses values that would do nothing. A value that is stored already may stay. */
export function checkNewFeatures(metadata: Metadata, stored: Metadata | undefined): void {
  for (const [key, { isGood, wanted }] of Object.entries(RULES)) {
    const value = metadata[key]
    if (value === undefined || value === stored?.[key] || isGood(value)) continue
    throw new ServiceError(
      'invalid_metadata',
      `"metadata.${key}" is "${value}"; it must be ${wanted}.`,
    )
  }
}

/** Whether users may delete their own accounts. */
export function isDeletionAllowed({ metadata }: Pick<Tenant, 'metadata'>): boolean {
  return metadata[DELETION_KEY] === 'true'
}

/** Whether users are told of logins on new devices. */
export function isNewDeviceTold({ metadata }: Pick<Tenant, 'metadata'>): boolean {
  return metadata[DEVICE_KEY] !== 'false'
}

/** Whether another operator has to confirm an address that an operator has changed. */
export function needsSecondOperator({ metadata }: Pick<Tenant, 'metadata'>): boolean {
  return metadata[FOUR_EYES_KEY] !== 'false'
}

/** The color and the image of the tenant's pages, if it has them. */
export function brandOf({ metadata }: Pick<Tenant, 'metadata'>): {
  color: string | undefined
  logoUrl: string | undefined
} {
  const { [COLOR_KEY]: color = '', [LOGO_KEY]: logoUrl = '' } = metadata
  return {
    color: isColor(color) ? color.toLowerCase() : undefined,
    logoUrl: isImageUrl(logoUrl) ? new URL(logoUrl).href : undefined,
  }
}

function isColor(value: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(value)
}

/** The URL goes into a header, where commas, semicolons and spaces mean something. */
function isImageUrl(value: string): boolean {
  const url = URL.parse(value)
  if (url?.protocol !== 'https:' || url.username || url.password) return false
  return /^[^\s,;#'"]+$/.test(value)
}
