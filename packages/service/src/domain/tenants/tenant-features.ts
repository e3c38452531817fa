import type { Metadata, Tenant } from '../../store/records.ts'
import {
  isMinLength,
  LEAST_CHARACTERS,
  LENGTH_KEY,
  MOST_LEAST_CHARACTERS,
  RANGES_KEY,
} from '../ways/password-policy.ts'
import { isLoopbackHost } from '../writes/addresses.ts'
import { ServiceError } from '../writes/errors.ts'
import { type Reason, reason } from '../writes/reasons/index.ts'
import {
  acceptsDocuments,
  BLOCKED_HOSTS_KEY,
  DOCUMENT_HOSTS_KEY,
  DOCUMENTS_KEY,
  documentTrust,
  isHostList,
  REGISTRATION_KEY,
} from './client-documents.ts'
import { IMPERSONATION_KEY, impersonationMode, impersonationModes } from './impersonation-mode.ts'
import { isDay, SECOND_STEP_KEY } from './second-step-rule.ts'

/** The metadata key of a tenant that says whether users may delete their own accounts. */
const DELETION_KEY = 'latchkey_account_deletion'
/** The metadata key of a tenant that says whether users are notified of logins on new devices. */
const DEVICE_KEY = 'latchkey_new_device_mail'
/**
 * The metadata key of a tenant that says whether another operator has to confirm a user's new
 * address.
 */
export const FOUR_EYES_KEY = 'latchkey_four_eyes'
/** The metadata key of a tenant with the color of buttons and links. */
export const COLOR_KEY = 'latchkey_brand_color'
/** The metadata key of a tenant with the URL of the image above every page. */
export const LOGO_KEY = 'latchkey_logo_url'

const RULES: Readonly<Record<string, { isGood(value: string): boolean; wanted: Reason }>> = {
  [DELETION_KEY]: {
    isGood: (value) => value === 'true' || value === 'false',
    wanted: reason('wanted_flag_off'),
  },
  [DEVICE_KEY]: {
    isGood: (value) => value === 'true' || value === 'false',
    wanted: reason('wanted_flag_on'),
  },
  [FOUR_EYES_KEY]: {
    isGood: (value) => value === 'true' || value === 'false',
    wanted: reason('wanted_flag_on'),
  },
  [IMPERSONATION_KEY]: {
    isGood: (value) => impersonationModes.some((one) => one === value),
    wanted: reason('wanted_impersonation'),
  },
  [DOCUMENTS_KEY]: {
    isGood: (value) => documentTrust.some((one) => one === value),
    wanted: reason('wanted_document_trust'),
  },
  [DOCUMENT_HOSTS_KEY]: { isGood: isHostList, wanted: reason('wanted_hosts') },
  [BLOCKED_HOSTS_KEY]: { isGood: isHostList, wanted: reason('wanted_hosts') },
  [LENGTH_KEY]: {
    isGood: isMinLength,
    wanted: reason('wanted_number', { least: LEAST_CHARACTERS, most: MOST_LEAST_CHARACTERS }),
  },
  [RANGES_KEY]: {
    isGood: (value) => value === 'true' || value === 'false',
    wanted: reason('wanted_flag_off'),
  },
  [SECOND_STEP_KEY]: { isGood: isDay, wanted: reason('wanted_day') },
  [REGISTRATION_KEY]: {
    isGood: (value) => value === 'true' || value === 'false',
    wanted: reason('wanted_flag_off'),
  },
  [COLOR_KEY]: { isGood: isColor, wanted: reason('wanted_color') },
  [LOGO_KEY]: { isGood: isImageUrl, wanted: reason('wanted_image_url') },
}

/**
 * Checks the metadata keys of the service. Values that would have no effect are refused, unless the
 * same value is already stored.
 *
 * @throws ServiceError `invalid_metadata`.
 */
export function checkNewFeatures(metadata: Metadata, stored: Metadata | undefined): void {
  for (const [key, { isGood, wanted }] of Object.entries(RULES)) {
    const value = metadata[key]
    if (value === undefined || value === stored?.[key] || isGood(value)) continue
    throw new ServiceError('invalid_metadata', reason('metadata_value', { key, value, wanted }))
  }
  const registration = metadata[REGISTRATION_KEY]
  const isNew = registration === 'true' && stored?.[REGISTRATION_KEY] !== registration
  if (isNew && !acceptsDocuments({ metadata })) {
    throw new ServiceError(
      'invalid_metadata',
      reason('registration_without_trust', { key: REGISTRATION_KEY, trust: DOCUMENTS_KEY }),
    )
  }
}

/** Whether users may delete their own accounts. */
export function isDeletionAllowed({ metadata }: Pick<Tenant, 'metadata'>): boolean {
  return metadata[DELETION_KEY] === 'true'
}

/** Whether users are notified of logins on new devices. */
export function isNewDeviceTold({ metadata }: Pick<Tenant, 'metadata'>): boolean {
  return metadata[DEVICE_KEY] !== 'false'
}

/** Whether another operator has to confirm a user's address that an operator has changed. */
export function needsSecondOperator({ metadata }: Pick<Tenant, 'metadata'>): boolean {
  return metadata[FOUR_EYES_KEY] !== 'false'
}

/**
 * Checks a change by an operator who is not an owner. Such an operator may not change the rules
 * that protect users from operators.
 *
 * @throws ServiceError `not_permitted`.
 */
export function checkOwnerRules(
  before: Pick<Tenant, 'metadata'>,
  after: Pick<Tenant, 'metadata'>,
): void {
  const changes = <T>(read: (tenant: Pick<Tenant, 'metadata'>) => T): boolean =>
    read(before) !== read(after)
  if (changes(needsSecondOperator)) {
    throw new ServiceError('not_permitted', reason('four_eyes_owner_only'))
  }
  if (changes(impersonationMode)) {
    throw new ServiceError('not_permitted', reason('impersonation_owner_only'))
  }
}

/**
 * The color and the image URL of the tenant's pages; `undefined` for a missing or invalid one. An
 * uploaded image takes precedence over a linked one. The URL of an uploaded image is a path at the
 * tenant's domain.
 */
export function brandOf({ metadata, logo }: Pick<Tenant, 'metadata' | 'logo'>): {
  color: string | undefined
  logoUrl: string | undefined
} {
  const { [COLOR_KEY]: color = '', [LOGO_KEY]: logoUrl = '' } = metadata
  return {
    color: isColor(color) ? color.toLowerCase() : undefined,
    logoUrl: logo ? logoPath(logo.hash) : linkedImage(logoUrl),
  }
}

/**
 * The path of an uploaded image at the tenant's domain. Each image has a different path, so
 * browsers may cache an image without limit.
 */
export const logoPath = (hash: string): string => `/logo/${hash}`

/**
 * The absolute URL of the tenant's image, for mail and the console, which are not at the tenant's
 * domain. Returns `undefined` if there is no image.
 */
export function absoluteLogo(
  tenant: Pick<Tenant, 'metadata' | 'logo' | 'settings'>,
): string | undefined {
  const { logoUrl } = brandOf(tenant)
  const { hostname } = new URL(`https://${tenant.settings.domain}`)
  const scheme = isLoopbackHost(hostname) ? 'http' : 'https'
  return logoUrl && new URL(logoUrl, `${scheme}://${tenant.settings.domain}`).href
}

function linkedImage(url: string): string | undefined {
  return isImageUrl(url) ? new URL(url).href : undefined
}

function isColor(value: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(value)
}

/**
 * Whether a text can be the URL of an image. The URL is sent in a header, in which commas,
 * semicolons and spaces have a meaning.
 */
function isImageUrl(value: string): boolean {
  const url = URL.parse(value)
  if (url?.protocol !== 'https:' || url.username || url.password) return false
  return /^[^\s,;#'"]+$/.test(value)
}
