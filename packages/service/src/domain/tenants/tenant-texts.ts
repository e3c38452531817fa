import type { Micros, Tenant, TenantTexts } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { auditingFields, commit } from '../writes/commit.ts'
import { refuseStale, type Scope, updated } from '../writes/context.ts'
import { notFound, ServiceError } from '../writes/errors.ts'
import { nearestName } from '../writes/nearest-name.ts'
import { type Reason, reason } from '../writes/reasons/index.ts'
import { isWhole } from '../writes/rules.ts'

/** The languages of texts. */
export const textLanguages = ['en', 'de'] as const

/** One of {@link textLanguages}. */
export type TextLanguage = (typeof textLanguages)[number]

/** The limits of a text. */
export interface TextRule {
  /** The maximum length, in bytes of UTF-8. */
  readonly most: number
  /** The allowed placeholders, without braces. */
  readonly places: readonly string[]
  /** The placeholders that the text must have. */
  readonly required: readonly string[]
}

const subject: TextRule = { most: 150, places: ['company'], required: [] }
const ofLink: TextRule = { most: 500, places: ['company', 'duration'], required: ['duration'] }
const ofCode: TextRule = {
  most: 500,
  places: ['company', 'duration', 'application'],
  required: ['duration', 'application'],
}
const ofPage: TextRule = { most: 300, places: ['company'], required: [] }

/** The texts that a tenant can replace, in the order of the console. */
export const textRules = {
  mail_verify_subject: subject,
  mail_verify_text: ofLink,
  mail_reset_subject: subject,
  mail_reset_text: ofLink,
  mail_invite_subject: subject,
  mail_invite_text: ofLink,
  mail_code_subject: subject,
  mail_code_text: ofCode,
  mail_login_code_subject: subject,
  mail_login_code_text: ofCode,
  login_title: { ...ofPage, most: 100 },
  login_text: ofPage,
  signup_title: { ...ofPage, most: 100 },
  signup_text: ofPage,
} as const satisfies Record<string, TextRule>

/** One of {@link textRules}. */
export type TextName = keyof typeof textRules

/** The names of {@link textRules}. */
export const textNames = Object.keys(textRules) as readonly TextName[]

/**
 * The messages whose texts a tenant can replace. Each is the part after `mail_` of a name in {@link
 * textRules}.
 */
export const textMails = ['verify', 'reset', 'invite', 'code', 'login_code'] as const

/** One of {@link textMails}. */
export type TextMail = (typeof textMails)[number]

/**
 * Texts as a caller sent them. For an empty, missing or `null` text, the default text of the
 * service is used.
 */
export type SentTexts = {
  readonly [Language in TextLanguage]?: { readonly [Name in string]?: string | null } | null
}

/** The tenant's own text in a language; `undefined` if the tenant uses the default text. */
export function ownText(
  { texts }: Pick<Tenant, 'texts'>,
  language: TextLanguage,
  name: TextName,
): string | undefined {
  return texts?.[language]?.[name]
}

/**
 * Checks texts, and returns them trimmed and without empty ones, as they are stored.
 *
 * @throws ServiceError `invalid_request` for the first text that is refused.
 */
export function checkTexts(sent: SentTexts): TenantTexts {
  const texts: { -readonly [Language in TextLanguage]?: Record<string, string> } = {}
  for (const language of textLanguages) {
    for (const [name, given] of Object.entries(sent[language] ?? {})) {
      const fault = faultOf(language, name, (given ?? '').trim())
      if (fault) throw new ServiceError('invalid_request', fault)
      const text = (given ?? '').trim()
      if (text !== '') texts[language] = { ...texts[language], [name]: text }
    }
  }
  return texts
}

/**
 * Replaces the texts of a tenant.
 *
 * @param readAt - The `updatedAt` of the version that the caller has edited. Default: any version.
 * @throws ServiceError `invalid_request` for a text that is refused, `conflict` when the tenant was
 *   changed since, `not_found` for the system tenant.
 */
export async function updateTexts(scope: Scope, sent: SentTexts, readAt?: Micros): Promise<Tenant> {
  const { context, tenantId } = scope
  if (tenantId === SYSTEM_TENANT_ID) throw notFound()
  const texts = checkTexts(sent)
  function replace(last: Tenant): Tenant {
    refuseStale(last, readAt)
    return updated(context, last, { texts })
  }
  return commit(scope, 'tenant.update', tenantId, (audit) =>
    context.store.tenants.update(tenantId, auditingFields(audit, replace), audit),
  )
}

/**
 * The pattern of control characters, characters that change the direction of text, and invisible
 * characters.
 */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\u115f\u1160\u3164\uffa0\u2800]/u

/**
 * The pattern of a host, an email address or a URL in NFKC text. Dots of other scripts count as
 * dots.
 */
const ELSEWHERE =
  /@|:\/\/|\/\/|\bwww\b|[\p{L}\p{N}_-]+[.\u3002\uff61]\p{L}[\p{L}\p{N}-]+|\d+[.\u3002]\d+[.\u3002]\d+/iu

/** The pattern of a telephone number: at least six digits, with separators between them. */
const TELEPHONE = /(?:\d[\s()./+-]*){6,}/

/** The maximum length of a name in a message, in characters. */
const NAME_LENGTH = 100

/**
 * The name of a company or an application to show in a message, which is sent from the address of
 * the installation. The tenant's domain replaces a name that has a URL, an email address, a
 * telephone number, a line break, invisible characters or more than 100 characters. A name may
 * contain the tenant's own domain and its parent domains.
 */
export function nameInMail(name: string, domain: string): string {
  const isOwn = (host: string) => domain === host || domain.endsWith(`.${host}`)
  const others = name
    .normalize('NFKC')
    .replace(/[\p{L}\p{N}_.-]+/gu, (word) =>
      isOwn(word.toLowerCase().replace(/\.$/, '')) ? 'x' : word,
    )
  // The two joiners are allowed, because some languages need them.
  const isShown = isWhole(name) && !UNSHOWN.test(name.replace(/[\u200c\u200d]/g, ''))
  const isShort = [...name].length <= NAME_LENGTH
  const isName = isShown && isShort && !ELSEWHERE.test(others) && !TELEPHONE.test(others)
  return name !== '' && isName ? name : domain
}

function faultOf(language: TextLanguage, name: string, text: string): Reason | undefined {
  const field = `${language}.${name}`
  if (!Object.hasOwn(textRules, name)) {
    const nearest = nearestName(name, textNames)
    return nearest === undefined
      ? reason('text_unknown', { field, known: textNames.join(', ') })
      : reason('text_unknown_nearest', { field, nearest })
  }
  if (text === '') return undefined
  const { most, places, required }: TextRule = textRules[name as TextName]
  const count = Buffer.byteLength(text)
  if (count > most) return reason('text_too_long', { field, count, most })
  if (!isWhole(text) || UNSHOWN.test(text)) return reason('text_not_shown', { field })
  if (/[<>]/.test(text)) return reason('text_markup', { field })
  const named = [...text.matchAll(/\{(\w+)\}/g)].map(([, place = '']) => place)
  const unknown = named.find((place) => !places.includes(place))
  if (unknown !== undefined) {
    const known = places.map((place) => `{${place}}`).join(', ')
    const nearest = nearestName(unknown, places)
    return nearest === undefined
      ? reason('text_place_unknown', { field, place: `{${unknown}}`, known })
      : reason('text_place_nearest', { field, place: `{${unknown}}`, nearest: `{${nearest}}` })
  }
  const plain = text.replaceAll(/\{\w+\}/g, 'x')
  if (/[{}]/.test(plain)) return reason('text_brace', { field })
  const missing = required.find((place) => !named.includes(place))
  if (missing !== undefined) return reason('text_place_missing', { field, place: `{${missing}}` })
  const normal = plain.normalize('NFKC')
  const found = ELSEWHERE.exec(normal) ?? TELEPHONE.exec(normal)
  return found ? reason('text_leads_elsewhere', { field, found: found[0].trim() }) : undefined
}
