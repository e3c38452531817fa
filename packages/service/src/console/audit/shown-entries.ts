import { type AuditNames, detailsOf, idIn, namesIn } from '../../domain/operators/audit-people.ts'
import { isJobBegin, jobsIn } from '../../domain/operators/jobs.ts'
import type { Permission } from '../../domain/operators/roles.ts'
import { textLanguages, textNames } from '../../domain/tenants/tenant-texts.ts'
import { readField } from '../../domain/writes/changed-fields.ts'
import type { DomainContext } from '../../domain/writes/context.ts'
import { type CredentialKind, credentialKinds } from '../../resources/credentials.ts'
import type { AuditChange, AuditDetails } from '../../store/audit-details.ts'
import type { StoredAuditEntry } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { memberOf, settingGroups } from '../settings/setting-groups.ts'
import { groupOf, textWords } from '../settings/text-words.ts'
import { asIs, message, type Sentence, type Text } from '../texts/index.ts'
import { sentenceOfEntry } from './audit-sentences.ts'
import { jobPath, needsOfJob, numberOfJob, sentenceOfJob } from './job-entries.ts'

/** An actor, object or tenant of an audit entry, as the console shows it. */
export interface Named {
  /**
   * The name; for a user, with the email address. If no name is known, the text that the entry
   * stores.
   */
  readonly label: Text
  /**
   * The id, shown below the label; `undefined` if there is no id, or if the label is the id itself.
   */
  readonly id: string | undefined
  /**
   * The path of the console's page about this actor, object or tenant; `undefined` if there is no
   * such page.
   */
  readonly href: string | undefined
  /** The permission that the page needs. Default: `read`. */
  readonly needs?: Permission
}

/**
 * An audit entry as the console shows it: a sentence, the names for its placeholders, and the
 * changes in words.
 */
export interface ShownEntry extends Omit<StoredAuditEntry, 'changes'> {
  /** The sentence. Its placeholders are `{who}`, `{on}`, `{way}`, `{changes}` and `{action}`. */
  readonly sentence: Sentence
  /** The actor. */
  readonly who: Named
  /** The object of the action. For a job, the number of its users. */
  readonly on: Named
  /**
   * The credential that the entry is about, in words; empty if the entry is about no credential.
   */
  readonly way: Text
  /** The changed members with their values, or the facts of an action such as a download. */
  readonly changes: readonly Text[]
  readonly tenant: Named | undefined
  /**
   * The id of the job that the entry began; `undefined` for other entries. The entries about the
   * users of the job have this id as their request id.
   */
  readonly job: string | undefined
}

/** Turns audit entries into sentences, and reads the names of the people and objects in them. */
export async function shownEntries(
  context: DomainContext,
  entries: readonly StoredAuditEntry[],
): Promise<ShownEntry[]> {
  const [names, all, jobs] = await Promise.all([
    namesIn(context, entries),
    detailsOf(context, entries),
    jobsIn(context, entries),
  ])
  return entries.map((entry) => {
    const [, part = ''] = entry.target.split('/')
    const { actor, target, changes = [] }: Partial<AuditDetails> = all.get(entry.id) ?? {}
    const job = isJobBegin(entry) ? jobs.get(entry.target) : undefined
    return {
      ...entry,
      sentence: job ? sentenceOfJob(job) : sentenceOfEntry(entry),
      who: actorIn(names, entry.actor, actor),
      on: job
        ? { label: numberOfJob(job), id: job.id, href: jobPath(job), needs: needsOfJob(job) }
        : called(objectOf(names, entry), entry.target, target),
      way: credentialKinds[part as CredentialKind]?.label ?? asIs(part),
      changes: (entry.fields ?? []).map((field) =>
        ofFacts.test(entry.action) ? factInWords(field, changes) : inWords(field, changes),
      ),
      tenant: tenantOf(entry.tenantId),
      job: job?.id,
    }
  })
}

/**
 * Matches the actions whose entries store facts, such as the filters of a download, in place of
 * changed members.
 */
const ofFacts = /\.export|^impersonation\./

/** Gives an object the name that it had when the entry was written, if that was stored. */
function called(named: Named, id: string, name: string | undefined): Named {
  return name === undefined ? named : { ...named, label: asIs(name), id }
}

/** The actor of an entry. `name` is the name that the entry stored for it. */
function actorIn(names: AuditNames, actor: string, name: string | undefined): Named {
  const now = knownIn(names, actor)
  const known = now || name !== undefined ? called(now ?? plain(actor), actor, name) : undefined
  if (known) {
    const isKey = actor.startsWith('key:')
    return isKey ? { ...known, label: message('The API key {name}', { name: known.label }) } : known
  }
  const [kind = '', account] = actor.split(':')
  const label = account === undefined ? actors[kind] : undefined
  if (label) return { label, id: undefined, href: undefined }
  if (kind !== 'admin' || account === undefined) return plain(actor)
  return {
    label: message('The account {name} on the command line', { name: asIs(account) }),
    id: undefined,
    href: undefined,
  }
}

/** The actors without an id, in words. */
const actors: Readonly<Record<string, Sentence>> = {
  visitor: 'A visitor',
  service: 'The service',
  admin: 'The command line',
}

function objectOf(names: AuditNames, { target, tenantId, action }: StoredAuditEntry): Named {
  const known = knownIn(names, target)
  if (known) return known
  if (action.endsWith('.delete')) return plain(target)
  if (target === 'service') return { ...plain(target), label: 'all tenants' }
  if (target === tenantId) return tenantOf(target) ?? plain(target)
  const room = rooms[target.slice(0, 4)]
  if (!room || tenantId === undefined || tenantId === SYSTEM_TENANT_ID) return plain(target)
  return { ...plain(target), href: `/console/t/${tenantId}${room}${target}` }
}

/** The paths of objects within a tenant, without the id at the end, by the prefix of the id. */
const rooms: Readonly<Record<string, string>> = {
  app_: '/applications/',
  con_: '/connections/',
  whk_: '/webhooks/',
  job_: '/jobs?job=',
}

function knownIn({ users, keys }: AuditNames, text: string): Named | undefined {
  const id = idIn(text)
  const user = users.get(id)
  if (user) {
    const { name } = user.profile
    const label = name ? message('{name} ({address})', { name, address: user.email }) : undefined
    return { label: label ?? asIs(user.email), id: text, href: pageOf(user) }
  }
  const key = keys.get(id)
  return key === undefined ? undefined : { label: asIs(key), id: text, href: '/console/keys' }
}

function plain(text: string): Named {
  return { label: asIs(text), id: undefined, href: undefined }
}

function pageOf({ id, tenantId }: { id: string; tenantId: string }): string {
  if (tenantId === SYSTEM_TENANT_ID) return '/console/operators'
  return `/console/t/${tenantId}/users/${id}`
}

/**
 * The tenant of an entry, with the path of its page. The page of the system tenant is the list of
 * operators.
 */
function tenantOf(tenantId: string | undefined): Named | undefined {
  if (tenantId === undefined) return undefined
  if (tenantId === SYSTEM_TENANT_ID) {
    return { label: 'the operators of the console', id: tenantId, href: '/console/operators' }
  }
  return { ...plain(tenantId), href: `/console/t/${tenantId}` }
}

/** A changed member in words, with its old and its new value as far as they are stored. */
function inWords(text: string, changes: readonly AuditChange[]): Text {
  const { name, flag } = readField(text)
  if (name === 'sessions') return 'sessions ended'
  if (name === 'disabled' && flag !== undefined) return flag ? 'disabled' : 'enabled'
  const label = labels.get(name) ?? asIs(name)
  if (flag !== undefined) return message(flag ? '{name} on' : '{name} off', { name: label })
  const { before, after } = changes.find((one) => one.name === name) ?? {}
  if (before !== undefined && after !== undefined) {
    return message('{name} from “{before}” to “{after}”', { name: label, before, after })
  }
  if (after !== undefined) return message('{name} to “{after}”', { name: label, after })
  return before === undefined
    ? label
    : message('{name} “{before}” removed', { name: label, before })
}

/** A fact of an entry in words, such as a filter of a download or its number of rows. */
function factInWords(name: string, changes: readonly AuditChange[]): Text {
  const { after: value = '' } = changes.find((one) => one.name === name) ?? {}
  return message('{name} “{value}”', { name: facts[name] ?? asIs(name), value })
}

/** The labels of facts. */
const facts: Readonly<Record<string, Sentence>> = {
  ...{ format: 'Format', rows: 'Rows', search: 'Search', state: 'State', order: 'Order' },
  ...{ way: 'Last login by', not_since: 'No login since' },
  ...{ actor: 'Actor', target: 'Target', from: 'From', request: 'Request', job: 'Job' },
  ...{ reason: 'Reason', ended: 'Ended', tenant: 'Tenant', user: 'User' },
}

/** The labels of the members that updates can change, by their names in the audit log. */
const labels: ReadonlyMap<string, Text> = new Map<string, Text>([
  ...settingGroups
    .flatMap(({ settings }) => settings)
    .map((one): [string, Sentence] => [memberOf(one), one.label]),
  ['metadata.latchkey_account_deletion', 'Deletion of the account by its user'],
  ['metadata.latchkey_new_device_mail', 'Mail about a login on a new device'],
  ['metadata.latchkey_four_eyes', 'Second operator for a new address'],
  ...textNames.flatMap((name) =>
    textLanguages.map((language): [string, Text] => [
      `texts.${language}.${name}`,
      message('{group}, {text} ({language})', {
        group: message(groupOf(name)),
        text: message(textWords[name]),
        language: message(language === 'en' ? 'English' : 'German'),
      }),
    ]),
  ),
  ['logo', 'Logo'],
  ['profile.email', 'Address'],
  ['profile.email_verified', 'Address is verified'],
  ['profile.name', 'Name'],
  ['redirect_urls', 'Redirect URLs'],
  ['logout_urls', 'Logout URLs'],
  ['url', 'URL'],
  ['description', 'Description'],
  ['types', 'Types of events'],
  ['role', 'Role'],
  ['reach', 'Tenants'],
  ['client_id', 'Client id'],
  ['scopes', 'Scopes'],
  ['trust_email', 'Trust verified addresses'],
  ['allow_signup', 'New users'],
  ['own_callback', 'Redirect URI of its own'],
])
