import { hash } from 'node:crypto'
import { type Permission, permissions, roleMay } from '../../domain/operators/roles.ts'
import { createTemplates } from '../../pages/eta.ts'
import {
  chooseAllScript,
  copyScript,
  fontPreload,
  localTimesScript,
  searchKeyScript,
} from '../../pages/index.ts'
import type { Micros } from '../../store/records.ts'
import { formatTimestamp } from '../../wire/timestamps.ts'
import type { ConsoleTemplates, Content, Frame, Shared } from '../pages/index.ts'
import { templateTexts } from '../template-texts.ts'
import { type Sentence, type Text, type Translator, translatorOf } from '../texts/index.ts'
import { labelCells } from './cell-labels.ts'
import { shownText } from './shown-text.ts'
import { stylesheet } from './style.ts'

const templates = createTemplates(templateTexts)

/**
 * The notices that a page can show after a change, by the query parameter `done`. The URL only
 * names a notice, so that a link cannot put text on a page.
 */
export const notices: Readonly<Record<string, Sentence>> = {
  saved: 'Saved.',
  role: 'Saved. The operator is told by mail.',
  unchanged: 'Nothing changed.',
  created: 'Created.',
  removed: 'Removed.',
  discarded: 'The file is discarded.',
  disabled: 'Disabled. Every session of this user has ended.',
  enabled: 'Enabled.',
  verified: 'The address is verified.',
  invited: 'Created, and an invitation is on its way.',
  not_invited:
    'The user is created, but no invitation was sent. Send it from this page, which says why if it cannot.',
  invited_operator:
    'The invitation is on its way by mail. The list shows what became of the message.',
  mailed: 'The message is on its way. Its state is below.',
  ended_one: 'The session has ended, and so have its tokens.',
  access_withdrawn: 'The access is withdrawn. Access tokens for APIs expire within five minutes.',
  forgotten: 'The device is forgotten. It asks for the second step again.',
  forgiven: 'The failed attempts are forgotten. The user can try again.',
  tenant_deleted:
    'The tenant is deleted: nothing reaches it any more. The page “System” shows how its rows are erased.',
  user_deleted: 'The user is deleted.',
  ended: 'Every session of this user has ended.',
  withdrawn: 'The key is withdrawn. It opens nothing any more.',
  rotated: 'The tenant signs with a new key. The earlier ones stay published.',
  'keys-withdrawn': 'The tenant signs with a new key, and no earlier one is published.',
  'connection-enabled': 'Enabled. Users see the connection where the tenant allows social login.',
  'connection-disabled': 'Disabled. No user can log in with it until it is enabled again.',
  replayed: 'On the way. The state of each event is below.',
  'secret-rotated': 'The application has a new secret. Show it to deploy it.',
  asked_user:
    'The user is asked by mail, and answers on the account page. You can begin for an hour after that.',
  ended_login_as: 'The login as this user has ended.',
  confirmed: 'You have logged in again. For five minutes you can do what is dangerous.',
}

const styleHash = hash('sha256', stylesheet, 'base64')

/** The Content-Security-Policy of a page. The frames of the page inherit it. */
function policyOf({ login, frames, sendsTo }: Content, hasScript: boolean): string {
  const styles = [styleHash, ...(login?.styleHashes ?? []), ...(frames?.styleHashes ?? [])]
  const image = login?.image ?? frames?.image
  const sources = styles.map((one) => `'sha256-${one}'`)
  if (frames?.hasStyleAttributes) sources.push("'unsafe-hashes'")
  return [
    "default-src 'none'",
    `style-src ${sources.join(' ')}`,
    ["form-action 'self'", sendsTo].filter((part) => part !== undefined).join(' '),
    "font-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(image ? [`img-src ${image}`] : []),
    ...(hasScript ? ["script-src 'self'"] : []),
  ].join('; ')
}

const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  vary: 'Accept-Language',
  link: fontPreload,
}

/** Renders a page of the console as a whole HTML document, with its headers. */
export function renderConsole(
  content: Content,
  frame: Frame,
): { html: string; headers: Readonly<Record<string, string>> } {
  const { language, t, h } = translatorOf(frame.language)
  const text = (given: string) => shownText(given, t)
  const shared: Shared = {
    ...frame,
    ...{ t, h, text },
    list: (texts: readonly Text[]) => texts.map((one) => t(one)).join(', '),
    ...{ tenant: content.tenant, login: content.login, problem: content.problem },
    time: (at: Micros | undefined, isExact = false) => time(at, isExact, t),
    safeLink,
    may: mayOf(frame),
  }
  const pages = frame.servicePages.filter(({ isForAll }) => isForAll || shared.may.all)
  const body = labelCells(templates.render(`./${content.name}`, { ...content.data, ...shared }))
  const scripts = [
    ...(body.includes(' data-copy=') ? [copyScript] : []),
    ...(body.includes(' data-all=') ? [chooseAllScript] : []),
    ...(body.includes('<time ') ? [localTimesScript] : []),
    ...(frame.operator ? [searchKeyScript] : []),
  ]
  const layout: ConsoleTemplates['layout'] = {
    ...shared,
    ...content,
    // A heading is a block, so its text cannot reorder other text and needs no `<bdi>`.
    heading: text(t(content.title)).replace(/^<bdi>(.*?)<\/bdi>/s, '$1'),
    action: content.action,
    crumbs: crumbsOf(content, frame),
    commands: content.commands ?? [],
    style: stylesheet,
    scripts,
    navigation: frame.operator ? templates.render('./navigation', { ...shared, pages }) : '',
    body,
  }
  const html = templates.render('./layout', layout)
  const { refreshSeconds } = content
  const refresh = refreshSeconds === undefined ? {} : { refresh: String(refreshSeconds) }
  const policy = policyOf(content, scripts.length > 0)
  const own = { 'content-security-policy': policy, 'content-language': language, ...refresh }
  return { html, headers: { ...HEADERS, ...own } }
}

/** The breadcrumbs of a page: links to the pages of the navigation that the page is below. */
function crumbsOf(
  { tenant }: Content,
  { path, servicePages, tenantPages }: Frame,
): { href: string; label: Sentence }[] {
  const base = tenant ? `/console/t/${tenant.id}` : ''
  return (tenant ? tenantPages : servicePages)
    .map((page) => ({ href: base + page.path, label: page.label }))
    .filter(({ href }) => href !== base && href !== '/console' && path.startsWith(`${href}/`))
}

/**
 * Whether the operator has each permission, by its name. `all` is whether the operator reaches all
 * tenants.
 */
function mayOf({ operator }: Frame): Record<Permission | 'all', boolean> {
  const role = operator?.operator.role
  const own = permissions.map((one) => [one, role !== undefined && roleMay(role, one)] as const)
  return {
    ...(Object.fromEntries(own) as Record<Permission, boolean>),
    all: operator?.operator.reach === 'all',
  }
}

/** An instant in UTC as HTML, to the minute, or to the second if `isExact` is set. */
function time(at: Micros | undefined, isExact: boolean, t: Translator['t']): string {
  if (at === undefined) return `<span class="soft">${t('never')}</span>`
  const text = formatTimestamp(at)
  return `<time datetime="${text}">${text.slice(0, 10)} ${text.slice(11, isExact ? 19 : 16)} UTC</time>`
}

/**
 * The address, if it is safe as a link: a page over https, or a mailbox. `undefined` for any other
 * address, which the page shows as text.
 */
function safeLink(address: string): string | undefined {
  const protocol = URL.parse(address)?.protocol
  return protocol === 'https:' || protocol === 'mailto:' ? address : undefined
}
