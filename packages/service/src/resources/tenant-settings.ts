/** The description of a setting. */
interface Description {
  /**
   * The kind of the value. A `host` has no default. The other kinds have a zero value: `''`,
   * `false` or 0.
   */
  readonly kind: 'host' | keyof typeof zeroOf
  /**
   * The value in a new tenant that the console, the command or a seed creates. Default: the zero
   * value.
   */
  readonly initial?: string | boolean | number
  /** The description in the OpenAPI document, if the name does not say enough. */
  readonly description?: string
  /**
   * Whether an operator can save the setting without a new login, because it changes only names and
   * texts, and protects no user.
   */
  readonly isHarmless?: true
  /** The name of the setting in the console and its audit log. */
  readonly label: Translations
  /** The effect of the setting, as a text below its field. */
  readonly hint: Translations
}

interface Translations {
  readonly en: string
  readonly de: string
}

const zeroOf = { text: '', flag: false, seconds: 0 } as const

/**
 * The descriptions of a tenant's settings by their names in the API, in the order of the API. The
 * record, its stored form, the bodies and responses of the API, the OpenAPI document, the defaults
 * of a new tenant and the texts of the console are made from these descriptions. ARCHITECTURE.md
 * lists the further places that a new setting needs.
 */
const descriptions = {
  domain: {
    kind: 'host',
    description: 'Host of the issuer, unique in the service.',
    label: { en: 'Domain', de: 'Domain' },
    hint: {
      en: 'Where users log in; it must lead to this service. Applications need the new issuer after a change, and passkeys stay with the domain that they were made for.',
      de: 'Wo sich Benutzer anmelden; sie muss zu diesem Dienst führen. Nach einer Änderung brauchen Anwendungen den neuen Issuer, und Passkeys bleiben bei der Domain, für die sie erzeugt wurden.',
    },
  },
  company_name: {
    kind: 'text',
    isHarmless: true,
    label: { en: 'Company', de: 'Firma' },
    hint: {
      en: 'Users read it on the login pages and in mails. A name with an address or a telephone number is in no mail: the domain stands there.',
      de: 'Benutzer lesen sie auf den Anmeldeseiten und in E-Mails. Ein Name mit einer Adresse oder einer Telefonnummer steht in keiner E-Mail: Dort steht die Domain.',
    },
  },
  logo_image_text: {
    kind: 'text',
    isHarmless: true,
    label: { en: 'Text of the logo', de: 'Text des Logos' },
    hint: { en: 'Stands above the login pages.', de: 'Steht über den Anmeldeseiten.' },
  },
  support_email: {
    kind: 'text',
    label: { en: 'Support address', de: 'Support-Adresse' },
    hint: {
      en: 'Users who need help are told to write there.',
      de: 'Benutzer, die Hilfe brauchen, sollen dorthin schreiben.',
    },
  },
  allow_social: {
    kind: 'flag',
    label: { en: 'Accounts at providers', de: 'Konten bei Anbietern' },
    hint: {
      en: 'Users log in at a connection of this tenant.',
      de: 'Benutzer melden sich über eine Verbindung dieses Mandanten an.',
    },
  },
  allow_hardware: {
    kind: 'flag',
    label: { en: 'Passkeys and security keys', de: 'Passkeys und Sicherheitsschlüssel' },
    hint: {
      en: 'Users may add them, at a domain name.',
      de: 'Benutzer können sie an einem Domainnamen hinzufügen.',
    },
  },
  allow_passwords: {
    kind: 'flag',
    initial: true,
    label: { en: 'Passwords', de: 'Passwörter' },
    hint: {
      en: 'Users log in with a password.',
      de: 'Benutzer melden sich mit einem Passwort an.',
    },
  },
  allow_totp_app: {
    kind: 'flag',
    label: { en: 'Authenticator apps', de: 'Authenticator-Apps' },
    hint: {
      en: 'Users may add one as a second step.',
      de: 'Benutzer können eine als zweiten Schritt hinzufügen.',
    },
  },
  allow_totp_email: {
    kind: 'flag',
    label: { en: 'Codes by mail', de: 'Codes per E-Mail' },
    hint: {
      en: 'Users may add them as a second step. With passwords off, they take the place of the password.',
      de: 'Benutzer können sie als zweiten Schritt hinzufügen. Sind Passwörter aus, treten sie an deren Stelle.',
    },
  },
  allow_unverified: {
    kind: 'flag',
    description: 'When false, users verify their email address before they can log in.',
    label: { en: 'Unverified addresses', de: 'Nicht bestätigte Adressen' },
    hint: {
      en: 'Users may log in before they have proven their address.',
      de: 'Benutzer dürfen sich anmelden, bevor sie ihre Adresse nachgewiesen haben.',
    },
  },
  remember_device: {
    kind: 'flag',
    label: { en: 'Trusted devices', de: 'Vertraute Geräte' },
    hint: {
      en: 'The second step offers “Do not ask again on this device”.',
      de: 'Der zweite Schritt bietet an: „Auf diesem Gerät nicht mehr fragen“.',
    },
  },
  remember_device_seconds: {
    kind: 'seconds',
    initial: 2_592_000,
    label: { en: 'A device is trusted for', de: 'Einem Gerät wird vertraut' },
    hint: { en: 'Where trusted devices are on.', de: 'Wenn vertraute Geräte an sind.' },
  },
  remember_login_seconds: {
    kind: 'seconds',
    initial: 1_209_600,
    description: 'How long a login lasts at the issuer; 0 for as long as the browser is open.',
    label: { en: 'A login lasts', de: 'Eine Anmeldung gilt' },
    hint: {
      en: 'At 0, until the browser is closed.',
      de: 'Bei 0, bis der Browser geschlossen wird.',
    },
  },
  allow_signups: {
    kind: 'flag',
    initial: true,
    label: { en: 'Sign-ups', de: 'Registrierungen' },
    hint: {
      en: 'Visitors may make an account by themselves.',
      de: 'Besucher dürfen selbst ein Konto anlegen.',
    },
  },
  developer_mode: {
    kind: 'flag',
    label: { en: 'Developer mode', de: 'Entwicklermodus' },
    hint: {
      en: 'Applications may use plain-http URLs at any host. Not for a tenant with real users.',
      de: 'Anwendungen dürfen URLs mit http an jedem Host verwenden. Nicht für einen Mandanten mit echten Benutzern.',
    },
  },
} as const satisfies Readonly<Record<string, Description>>

type Descriptions = typeof descriptions

/** The name of a setting in the API, such as `allow_signups`. */
export type SettingName = keyof Descriptions

/** The kind of the value of a setting. */
export type SettingKind<N extends SettingName = SettingName> = Descriptions[N]['kind']

/** The name in records of a setting in the API: `allowSignups` for `allow_signups`. */
type MemberName<N extends string> = N extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<MemberName<Rest>>}`
  : N

type ValueOf = { host: string; text: string; flag: boolean; seconds: number }

/**
 * The settings of a tenant, as records have them. The specification describes each setting in the
 * table of `settings`.
 */
export type TenantSettings = {
  -readonly [N in SettingName as MemberName<N>]: ValueOf[SettingKind<N>]
}

/** The settings of a tenant, as request and response bodies of the API have them. */
export type SettingsBody = { -readonly [N in SettingName]: ValueOf[SettingKind<N>] }

/** A setting with its description. `name`: the name in the API. `member`: the name in records. */
export interface TenantSetting extends Omit<Description, 'initial'> {
  readonly name: SettingName
  readonly member: keyof TenantSettings
  readonly kind: SettingKind
  /** The value in a new tenant; `undefined` only for the domain. */
  readonly initial: string | boolean | number | undefined
  readonly label: Translations & { readonly en: SettingText }
  readonly hint: Translations & { readonly en: SettingText }
}

/** A label or a hint in English. */
type SettingText = Descriptions[SettingName]['label' | 'hint']['en']

/** Every setting, in the order of the API. */
export const tenantSettings: readonly TenantSetting[] = (
  Object.keys(descriptions) as SettingName[]
).map(settingNamed)

/** Finds the setting with a name in the API. */
export function settingNamed(name: SettingName): TenantSetting {
  const described: Descriptions[SettingName] & Pick<Description, 'initial'> = descriptions[name]
  const { kind, initial } = described
  const first = kind === 'host' ? undefined : (initial ?? zeroOf[kind])
  return { ...described, name, member: memberName(name), initial: first }
}

/** The German texts of labels and hints, by their English texts. */
export const settingTexts = Object.fromEntries(
  tenantSettings.flatMap(({ label, hint }) => [
    [label.en, label.de],
    [hint.en, hint.de],
  ]),
) as Record<SettingText, string>

/** Makes the settings of a record from the settings of a body. */
export function settingsOf(body: SettingsBody): TenantSettings {
  const entries = tenantSettings.map(({ name, member }) => [member, body[name]])
  return Object.fromEntries(entries) as TenantSettings
}

const zeroSettings = Object.fromEntries(
  tenantSettings.flatMap(({ kind, member }) => (kind === 'host' ? [] : [[member, zeroOf[kind]]])),
) as Omit<TenantSettings, 'domain'>

/**
 * Makes the settings of a record from the stored settings of a tenant. A setting that is not stored
 * has its zero value.
 */
export function storedSettings(
  domain: string,
  stored: Partial<Omit<TenantSettings, 'domain'>>,
): TenantSettings {
  return { ...zeroSettings, ...stored, domain }
}

/** Makes the settings of a body from the settings of a record. */
export function bodyOfSettings(settings: TenantSettings): SettingsBody {
  const entries = tenantSettings.map(({ name, member }) => [name, settings[member]])
  return Object.fromEntries(entries) as SettingsBody
}

function memberName<N extends string>(name: N): MemberName<N> {
  return name.replace(/_[a-z]/g, ([, letter = '']) => letter.toUpperCase()) as MemberName<N>
}
