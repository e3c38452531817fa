import type { Json } from './request.ts'
import { noSettings } from './tenant-settings.ts'

/** The zero value of each member that a server may omit. */
export type Zeros = { readonly [member: string]: string | number | boolean | readonly [] | Zeros }

const common = { type: '', id: '', created_at: '', updated_at: '', metadata: {} } satisfies Zeros

/**
 * The zero values of each object type. The user's `verified_at` has none: it is absent if the email
 * address is not verified.
 */
export const zeros: Record<
  | 'Tenant'
  | 'Application'
  | 'User'
  | 'Credential'
  | 'AuditEntry'
  | 'Session'
  | 'Grant'
  | 'Program'
  | 'TenantTexts'
  | 'TenantLogo'
  | 'Mail'
  | 'Webhook'
  | 'WebhookTest'
  | 'WebhookReplay'
  | 'Delivery',
  Zeros
> = {
  Tenant: {
    ...common,
    name: '',
    settings: noSettings,
  },
  Application: {
    ...common,
    name: '',
    secret: '',
    login_url: '',
    logout_urls: [],
    redirect_urls: [],
  },
  User: {
    ...common,
    disabled: false,
    profile: { email: '', name: '', family_name: '', email_verified: false },
  },
  Credential: { ...common, disabled: false, password: { alg: '', hash: '', cost: 0 } },
  AuditEntry: {
    ...{ target: '', fields: [], application_id: '', request_id: '', address: '', user_agent: '' },
  },
  Session: { browser: '', system: '', application_ids: [] },
  Grant: {
    ...{ application_id: '', hosts: [], name: '', on_device: false, goes_to: '', scopes: [] },
    resources: [],
  },
  Program: { blocked: false, listed: false },
  TenantTexts: { en: {}, de: {} },
  TenantLogo: { url: '', sha256: '', content_type: '', width: 0, height: 0, bytes: 0 },
  Mail: { user_id: '', attempts: 0, last_answer: '' },
  Webhook: { ...common, url: '', description: '', types: [], disabled: false },
  WebhookTest: { accepted: false, milliseconds: 0 },
  WebhookReplay: { events: 0 },
  Delivery: { attempts: 0 },
}

/** A copy of `object` with the zero value of every omitted member. */
export function restoreZeros<T>(object: Json, of: Zeros): T {
  const restored: Json = { ...object }
  for (const [member, zero] of Object.entries(of)) {
    const value = object[member]
    if (Array.isArray(zero)) restored[member] = value ?? []
    else if (typeof zero === 'object') {
      restored[member] = restoreZeros((value as Json | null | undefined) ?? {}, zero as Zeros)
    } else restored[member] = value ?? zero
  }
  return restored as T
}

/** Whether an object has no values, or only zero values unless it `isComplete`. */
function isUnset(object: Json, isComplete: boolean): boolean {
  return Object.values(object).every((value) => !isComplete && !value)
}

/**
 * The body of an update: the complete object, without the empty strings that {@link restoreZeros}
 * added. The server reads an omitted member as its zero value. It may refuse an empty string, for
 * example as a URL. In `metadata`, an empty string is a value, and is posted.
 */
export function forUpdate(changed: object, original: Json): Json {
  const posted: Json = {}
  for (const [member, value] of Object.entries(changed)) {
    if (value === undefined || (value === '' && (original[member] ?? '') === '')) continue
    const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value)
    const before = original[member] as Json | undefined
    const isComplete = !isPlain || member === 'metadata'
    const kept = isComplete ? value : forUpdate(value as Json, before ?? {})
    // The server omitted this member, such as `password` of a passkey, and the caller has not set
    // it.
    if (isPlain && before === undefined && isUnset(kept as Json, isComplete)) continue
    posted[member] = kept
  }
  return posted
}
