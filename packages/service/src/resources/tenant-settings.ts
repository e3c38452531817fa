/** How a setting is described. */
interface Description {
  /** A `host` has no value unless it is given; the others have their zero value: `''`, `false` or 0. */
  readonly kind: 'host' | keyof typeof zeroOf
  /** The value in a new tenant of the console, the command or a seed. Default: the zero value. */
  readonly initial?: string | boolean | number
  /** The sentence of the OpenAPI document, where the name does not say enough. */
  readonly description?: string
}

const zeroOf = { text: '', flag: false, seconds: 0 } as const

/**
 * The settings of a tenant by their names in the API, in its order. The record, its stored form, the bodies and answers of the
 * API, the OpenAPI document and the defaults of a new tenant are made from here; ARCHITECTURE.md says what else a setting needs.
 */
const descriptions = {
  domain: { kind: 'host', description: 'Host of the issuer, unique in the service.' },
  company_name: { kind: 'text' },
  logo_image_text: { kind: 'text' },
  support_email: { kind: 'text' },
  allow_social: { kind: 'flag' },
  allow_hardware: { kind: 'flag' },
  allow_passwords: { kind: 'flag', initial: true },
  allow_totp_app: { kind: 'flag' },
  allow_totp_email: { kind: 'flag' },
  allow_unverified: {
    kind: 'flag',
    description: 'When false, users verify their email address before they can log in.',
  },
  remember_device: { kind: 'flag' },
  remember_device_seconds: { kind: 'seconds', initial: 2_592_000 },
  remember_login_seconds: {
    kind: 'seconds',
    initial: 1_209_600,
    description: 'How long a login lasts at the issuer; 0 for as long as the browser is open.',
  },
  allow_signups: { kind: 'flag', initial: true },
  developer_mode: { kind: 'flag' },
} as const satisfies Readonly<Record<string, Description>>

type Descriptions = typeof descriptions

/** The name of a setting in the API, such as `allow_signups`. */
export type SettingName = keyof Descriptions

/** The kind of the value of a setting. */
export type SettingKind<N extends SettingName = SettingName> = Descriptions[N]['kind']

/** A name of the API as records have it: `allowSignups` for `allow_signups`. */
type MemberName<N extends string> = N extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<MemberName<Rest>>}`
  : N

type ValueOf = { host: string; text: string; flag: boolean; seconds: number }

/** The settings of a tenant's logins. The table of `settings` in the specification describes each. */
export type TenantSettings = {
  -readonly [N in SettingName as MemberName<N>]: ValueOf[SettingKind<N>]
}

/** The settings as bodies and answers of the API have them. */
export type SettingsBody = { -readonly [N in SettingName]: ValueOf[SettingKind<N>] }

/** A setting with its names and its values. */
export interface TenantSetting extends Omit<Description, 'initial'> {
  readonly name: SettingName
  readonly member: keyof TenantSettings
  readonly kind: SettingKind
  /** The value in a new tenant; `undefined` for the domain alone. */
  readonly initial: string | boolean | number | undefined
}

/** Every setting, in the order of the API. */
export const tenantSettings: readonly TenantSetting[] = (
  Object.entries(descriptions) as [SettingName, Description][]
).map(([name, { kind, initial, description }]) => ({
  name,
  member: memberName(name),
  kind,
  initial: kind === 'host' ? undefined : (initial ?? zeroOf[kind]),
  ...(description !== undefined && { description }),
}))

/** The settings of a record, from those of a body. */
export function settingsOf(body: SettingsBody): TenantSettings {
  const entries = tenantSettings.map(({ name, member }) => [member, body[name]])
  return Object.fromEntries(entries) as TenantSettings
}

/** The settings of a body, from those of a record. */
export function bodyOfSettings(settings: TenantSettings): SettingsBody {
  const entries = tenantSettings.map(({ name, member }) => [name, settings[member]])
  return Object.fromEntries(entries) as SettingsBody
}

function memberName<N extends string>(name: N): MemberName<N> {
  return name.replace(/_[a-z]/g, ([, letter = '']) => letter.toUpperCase()) as MemberName<N>
}
