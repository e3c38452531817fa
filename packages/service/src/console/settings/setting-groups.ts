import { IMPERSONATION_KEY } from '../../domain/tenants/impersonation-mode.ts'
import { SECOND_STEP_KEY } from '../../domain/tenants/second-step-rule.ts'
import { COLOR_KEY, LOGO_KEY } from '../../domain/tenants/tenant-features.ts'
import { LENGTH_KEY, RANGES_KEY } from '../../domain/ways/password-policy.ts'
import {
  settingNamed,
  type SettingName as TenantSettingName,
  tenantSettings,
} from '../../resources/tenant-settings.ts'
import type { Sentence } from '../texts/index.ts'

/**
 * The name of a setting in the API. A setting in the metadata of the tenant has the name of its
 * key.
 */
export type SettingName = TenantSettingName | `latchkey_${string}` | 'name'

/** A setting of a tenant, and the texts of its form field. */
export interface Setting {
  readonly name: SettingName
  /**
   * The type of the value. A `metadata` setting is a text in the metadata. A `metadata_flag` is the
   * text `true` in the metadata, or absent.
   */
  readonly kind: 'text' | 'flag' | 'seconds' | 'metadata' | 'metadata_flag'
  readonly label: Sentence
  readonly hint: Sentence
  /** The possible values, for a setting that has only a few. */
  readonly choices?: readonly { readonly value: string; readonly label: Sentence }[]
}

/**
 * The settings that are saved without a recent login: names, texts and the color, which protect no
 * user. Every other setting needs a recent login, also one that is added later.
 */
const harmless: ReadonlySet<SettingName> = new Set<SettingName>([
  'name',
  COLOR_KEY,
  ...tenantSettings.filter(({ isHarmless }) => isHarmless).map(({ name }) => name),
])

/** A section of the settings page. */
export interface SettingGroup {
  readonly id: string
  readonly title: Sentence
  readonly settings: readonly Setting[]
}

/**
 * The sections of the settings page in order, each with its settings. Settings in the metadata of
 * the tenant are among them.
 */
export const settingGroups: readonly SettingGroup[] = [
  {
    id: 'names',
    title: 'Names and look',
    settings: [
      text('name', 'Name', 'For operators, to tell tenants apart.'),
      setting('company_name'),
      setting('logo_image_text'),
      setting('support_email'),
      metadata(COLOR_KEY, 'Color', 'Of buttons and links, such as #7a1f5c. Empty for ours.'),
      metadata(
        LOGO_KEY,
        'Image',
        'Stands above the login pages in place of the text: its https:// URL. Its contrast with light and dark pages is not measured.',
      ),
    ],
  },
  {
    // Not `domain`, which is the id of the field.
    id: 'host',
    title: 'Domain',
    settings: [setting('domain')],
  },
  {
    id: 'ways',
    title: 'Ways to log in',
    settings: [
      setting('allow_passwords'),
      setting('allow_social'),
      setting('allow_hardware'),
      setting('allow_totp_app'),
      setting('allow_totp_email'),
      metadata(
        SECOND_STEP_KEY,
        'Second step required from',
        'A day such as 2026-12-31. Until then users are asked to add a second step and can postpone it; from then on, each login needs one. Empty: it is not required.',
      ),
    ],
  },
  {
    id: 'passwords',
    title: 'New passwords',
    settings: [
      metadata(
        LENGTH_KEY,
        'Least length',
        'Characters of a password that a user chooses: 8, where it is empty, to 24.',
      ),
      {
        name: RANGES_KEY,
        kind: 'metadata_flag',
        label: 'Ask Pwned Passwords',
        hint: 'New passwords are looked for among those of known data leaks. Five digits of a hash leave this service, and never the password.',
      },
    ],
  },
  {
    id: 'users',
    title: 'New users',
    settings: [setting('allow_signups'), setting('allow_unverified')],
  },
  {
    id: 'lifetimes',
    title: 'How long a login lasts',
    settings: [
      setting('remember_login_seconds'),
      setting('remember_device'),
      setting('remember_device_seconds'),
    ],
  },
  {
    id: 'support',
    title: 'Support',
    settings: [
      {
        ...metadata(
          IMPERSONATION_KEY,
          'Log in as a user',
          'Owners and admins of the console can log in as a user to help, for 15 minutes. The user is told by mail, and sees it on the account page. Only an owner can change this.',
        ),
        choices: [
          { value: '', label: 'Not at all' },
          { value: 'asked', label: 'When the user has agreed' },
          { value: 'allowed', label: 'Without asking the user' },
        ],
      },
    ],
  },
  {
    id: 'development',
    title: 'Development',
    settings: [setting('developer_mode')],
  },
]

function text(name: SettingName, label: Sentence, hint: Sentence): Setting {
  return { name, kind: 'text', label, hint }
}

function setting(name: TenantSettingName): Setting {
  const { kind, label, hint } = settingNamed(name)
  return { name, kind: kind === 'host' ? 'text' : kind, label: label.en, hint: hint.en }
}

function metadata(name: SettingName, label: Sentence, hint: Sentence): Setting {
  return { name, kind: 'metadata', label, hint }
}

/** The path of a setting in the JSON of a tenant, such as `settings.company_name`. */
export function memberOf({ name, kind }: Setting): string {
  if (name === 'name') return name
  return `${isMetadata({ kind }) ? 'metadata' : 'settings'}.${name}`
}

/** Whether the setting is stored in the metadata of the tenant. */
export function isMetadata({ kind }: Pick<Setting, 'kind'>): boolean {
  return kind === 'metadata' || kind === 'metadata_flag'
}

/** Whether settings of this kind are booleans. */
export function isFlag(kind: Setting['kind']): boolean {
  return kind === 'flag' || kind === 'metadata_flag'
}

/** Whether a new value of the setting needs a login of the last five minutes. */
export function isGuarded({ name }: Setting): boolean {
  return !harmless.has(name)
}
