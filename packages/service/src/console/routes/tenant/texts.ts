import { hash } from 'node:crypto'
import { offeredConnections } from '../../../domain/connections/connections.ts'
import type { MailSample } from '../../../domain/operators/support.ts'
import {
  checkTexts,
  ownText,
  type SentTexts,
  type TextLanguage,
  type TextMail,
  type TextName,
  textLanguages,
  textMails,
  textNames,
  textRules,
  updateTexts,
} from '../../../domain/tenants/tenant-texts.ts'
import { getTenant } from '../../../domain/tenants/tenants.ts'
import { found, ServiceError } from '../../../domain/writes/errors.ts'
import { reason } from '../../../domain/writes/reasons/index.ts'
import { type TextKey, translator } from '../../../pages/index.ts'
import type { Tenant } from '../../../store/records.ts'
import {
  type ConsoleRoute,
  type Result,
  redirectTo,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../../calls/call.ts'
import {
  type Filled,
  type FormValues,
  filledBefore,
  filledFrom,
  isStale,
  mergedForm,
} from '../../forms/concurrent-edits.ts'
import { type Refused, refusedBy } from '../../forms/refused.ts'
import type { FramePolicy } from '../../pages/index.ts'
import { loginPreview, logoNote, previewLogo, signupPreview } from '../../pages/login-preview.ts'
import { mailTexts, pageTexts, textWords } from '../../settings/text-words.ts'

export const textRoutes: readonly ConsoleRoute[] = [
  tenantPage('/texts', (call) => show(call, languageOf(call.query))),
  tenantForm('/texts', preview),
  tenantForm('/texts/save', save, { isDangerous: true }),
  tenantForm('/texts/test', sendTest),
]

const pathOf = ({ tenant }: TenantCall) => `/console/t/${tenant.id}/texts`

/** The default texts, by the names of the texts that replace them. */
const ours: { readonly [Name in TextName]?: TextKey } = {
  mail_verify_subject: 'mailVerifySubject',
  mail_verify_text: 'mailVerifyText',
  mail_reset_subject: 'mailResetSubject',
  mail_reset_text: 'mailResetText',
  mail_invite_subject: 'mailInviteSubject',
  mail_invite_text: 'mailInviteText',
  mail_code_subject: 'mailCodeSubject',
  mail_code_text: 'mailCodeText',
  mail_login_code_subject: 'mailCodeSubject',
  mail_login_code_text: 'mailLoginCodeText',
  login_title: 'loginTitle',
  signup_title: 'signupTitle',
  signup_text: 'signupIntro',
}

function languageOf(from: URLSearchParams): TextLanguage {
  return textLanguages.find((one) => one === from.get('language')) ?? 'en'
}

/** The submitted texts by name. Each line break becomes a space. */
function sentIn(form: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    textNames.map((name) => [name, (form.get(name) ?? '').trim().replaceAll(/\s+/g, ' ')]),
  )
}

/** The stored texts of a language by name. A text that the tenant did not replace is empty. */
function storedIn(tenant: Tenant, language: TextLanguage): Record<string, string> {
  return Object.fromEntries(textNames.map((name) => [name, ownText(tenant, language, name) ?? '']))
}

/** The stored texts of a tenant, with the submitted ones for one language. */
function withSent({ texts }: Tenant, language: TextLanguage, sent: object): SentTexts {
  return { ...texts, [language]: sent }
}

/** A form that is shown again. */
interface Shown extends Refused {
  readonly values?: Readonly<Record<string, string>>
  /** The stored texts that differ from the form, if another person has changed the tenant. */
  readonly theirs?: Readonly<Record<string, string>>
  /** The filling of a form that was merged with the stored values. */
  readonly filled?: Filled
}

/**
 * Shows the form. Submitted texts keep their `read_at`, so that saving them detects a change by
 * another person, unless they were merged with that change.
 */
async function show(call: TenantCall, language: TextLanguage, shown: Shown = {}): Promise<Result> {
  const { tenant, form } = call
  const stored = storedIn(tenant, language)
  const { values = stored, theirs, filled, ...refused } = shown
  const now = shown.values ? filledBefore(form) : filledFrom(tenant, valuesOf(stored))
  const t = translator(language)
  const fieldOf = (name: TextName) => {
    const key = ours[name]
    return {
      name,
      ...{ label: textWords[name], value: values[name] ?? '', isLong: name.endsWith('_text') },
      ours: key && t(key),
      theirs: theirs?.[name],
      places: textRules[name].places.map((place) => `{${place}}`).join(' '),
      required: textRules[name].required.map((place) => `{${place}}`).join(' '),
      most: textRules[name].most,
    }
  }
  const groups = [...mailTexts, ...pageTexts].map(({ id, label, names }) => ({
    ...{ id, label },
    fields: names.map(fieldOf),
  }))
  return {
    kind: 'page',
    name: 'texts',
    title: 'Texts',
    tenant,
    data: {
      ...{ base: pathOf(call), groups, of: language },
      ...(filled ?? now),
    },
    ...refused,
  }
}

/** Texts as values of a form. */
function valuesOf(texts: Readonly<Record<string, string>>): FormValues {
  return { fields: texts, metadata: [] }
}

/**
 * Shows the form again after another person has changed the tenant, with the submitted and the
 * stored texts.
 */
function showMeanwhile(call: TenantCall, language: TextLanguage): Promise<Result> {
  const { form, tenant } = call
  const stored = valuesOf(storedIn(tenant, language))
  const { kept, shown } = mergedForm(form, valuesOf(sentIn(form)), tenant, stored)
  return show(call, language, { values: kept.fields, ...shown })
}

/** Runs `work`. If the texts are refused, shows the form again with the submitted ones. */
async function answering(
  call: TenantCall,
  language: TextLanguage,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    if (isStale(call.form, call.tenant)) return await showMeanwhile(call, language)
    return await work()
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'conflict') {
      return showMeanwhile({ ...call, tenant: await getTenant(call.scope) }, language)
    }
    return show(call, language, { values: sentIn(call.form), ...refusedBy(error) })
  }
}

/**
 * The tenant with the submitted texts, not stored.
 *
 * @throws ServiceError for texts that break a rule.
 */
function judged({ tenant, form }: TenantCall, language: TextLanguage): Tenant {
  return { ...tenant, texts: checkTexts(withSent(tenant, language, sentIn(form))) }
}

/** Shows the messages and pages with the submitted texts before they are saved. */
async function preview(call: TenantCall): Promise<Result> {
  const { form } = call
  const language = languageOf(form)
  if (form.has('edit')) return show(call, language, { values: sentIn(form) })
  return answering(call, language, () => review(call, language, judged(call, language)))
}

async function review(
  call: TenantCall,
  language: TextLanguage,
  after: Tenant,
  notice?: 'The test is on its way to your own address.',
): Promise<Result> {
  const { tenant, support, scope, form, operator } = call
  const [before, values] = [storedIn(tenant, language), storedIn(after, language)]
  const differences = textNames
    .filter((name) => before[name] !== values[name])
    .map((name) => ({
      ...{ name: `${language}.${name}`, label: textWords[name] },
      ...{ before: before[name] ?? '', after: values[name] ?? '' },
    }))
  const logoUrl = await previewLogo(scope.context, after)
  const isOwn = (name: TextName) => values[name] !== '' || before[name] !== values[name]
  const mails = textMails
    .filter((mail) => isOwn(`mail_${mail}_subject`) || isOwn(`mail_${mail}_text`))
    .map((mail) => ({
      ...{ mail, label: found(mailTexts.find(({ id }) => id === mail)).label },
      sample: support.sample(after, mail, language, logoUrl),
    }))
  const offered = await offeredConnections(scope.context, after)
  const login = loginPreview(after, offered, language, logoUrl)
  const pages = pageTexts
    .filter(({ names }) => names.some(isOwn))
    .map(({ id, label }) => ({
      label,
      pages: id === 'login' ? login.pages : signupPreview(after, offered, language, logoUrl),
    }))
  return {
    kind: 'page',
    name: 'texts-preview',
    title: 'This changes',
    tenant,
    data: {
      ...{ differences, mails, pages, values, of: language, base: pathOf(call) },
      readAt: form.get('read_at') ?? '',
      filledWith: form.get('base') ?? '',
      address: operator.user.email,
      logoNote: mails.length + pages.length > 0 ? logoNote(after) : undefined,
    },
    login,
    frames: framesOf(mails.map(({ sample }) => sample)),
    ...(notice && { notice }),
  }
}

/**
 * The part of the Content-Security-Policy for frames with messages: the hashes of their style
 * sheets and `style` attributes.
 */
function framesOf(samples: readonly MailSample[]): FramePolicy {
  const styles = samples.flatMap(({ html }) => [
    ...[...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, css = '']) => css),
    ...[...html.matchAll(/ style="([^"]*)"/g)].map(([, css = '']) => css.replaceAll('&#39;', "'")),
  ])
  const styleHashes = [...new Set(styles)].map((css) => hash('sha256', css, 'base64'))
  return { styleHashes, hasStyleAttributes: samples.length > 0, image: undefined }
}

async function save(call: TenantCall): Promise<Result> {
  const { scope, form, tenant } = call
  const language = languageOf(form)
  return answering(call, language, async () => {
    const texts = withSent(tenant, language, sentIn(form))
    await updateTexts(scope, texts, Number(form.get('read_at')))
    return redirectTo(`${pathOf(call)}?language=${language}&done=saved`)
  })
}

/** Sends a message with the submitted texts to the address of the operator, to test them. */
async function sendTest(call: TenantCall): Promise<Result> {
  const { scope, form, support, operator } = call
  const language = languageOf(form)
  const mail: TextMail | undefined = textMails.find((one) => one === form.get('mail'))
  if (!mail) throw new ServiceError('invalid_request', reason('text_mail_unknown'))
  return answering(call, language, async () => {
    const after = judged(call, language)
    await support.sendSample(scope, { tenant: after, mail, language, to: operator.user })
    return review(call, language, after, 'The test is on its way to your own address.')
  })
}
