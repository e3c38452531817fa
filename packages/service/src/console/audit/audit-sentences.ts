import type { WriteAction } from '../../domain/writes/commit.ts'
import type { StoredAuditEntry } from '../../store/records.ts'
import type { Sentence } from '../texts/index.ts'

/**
 * The sentence for each action of the audit log. `{who}` is the actor, `{on}` the object of the
 * action, and `{way}` a credential of the user `{on}`. `{changes}` lists the changed members or,
 * for an action such as a download, its facts.
 */
const sentences = {
  'user.create': '{who} created the user {on}.',
  'user.update': '{who} changed the user {on}: {changes}.',
  'user.delete': '{who} deleted the user {on}.',
  'user.verify': '{who} verified the address of {on}.',
  'user.take_back': '{who} took the account {on} back by a mailed link.',
  'user.contest':
    '{who} contested that the account {on} was taken back, which locks it until an operator decides.',
  'user.import': '{who} imported users: {on}.',
  'user.export': '{who} began to download the users of {on}: {changes}.',
  'user.exported': '{who} downloaded the users of {on}: {changes}.',
  'credential.create': '{who} gave {on} a way to log in: {way}.',
  'credential.update': '{who} changed a way to log in of {on}: {way}.',
  'credential.delete': '{who} removed a way to log in of {on}: {way}.',
  'credential.reset': '{who} set the password of {on} by a link.',
  'credential.upgrade': 'The stored password of {on} was hashed again.',
  'credential.use': '{on} used a way to log in: {way}.',
  'credential.reseal': '{who} encrypted a secret of {on} under the newest master key: {way}.',
  'login.succeeded': '{on} logged in.',
  'login.code_requested': 'A code to log in as {on} was sent.',
  'login.wrong_password': 'A login as {on} was refused: the password was wrong.',
  'login.no_password': 'A login as {on} was refused: there is no password.',
  'login.unknown_user': 'A login was refused: no user has the address.',
  'login.user_disabled': 'A login as {on} was refused: the user is disabled.',
  'login.credential_disabled': 'A login as {on} was refused: the way to log in is disabled.',
  'login.wrong_code': 'A login as {on} was refused: the code was wrong.',
  'logout.succeeded': 'A session of {on} ended, by {who}.',
  'logout_notice.sent': 'An application was told that a session ended: {on}.',
  'logout_notice.given_up': 'An application could not be told that a session ended: {on}.',
  'signup.requested': '{who} asked to sign up.',
  'reset.requested': '{who} asked for a link to a new password of {on}.',
  'mail.tested': '{who} sent a test of a message to their own address.',
  'mail.requested': '{who} sent a message to {on}.',
  'mail.given_up': 'A message could not be delivered: {on}.',
  'consent.granted': '{on} allowed a program to act on their behalf.',
  'consent.denied': '{on} did not allow a program to act on their behalf.',
  'consent.withdrawn': '{who} withdrew the access of a program to the account of {on}.',
  'impersonation.ask': '{who} asked to log in as {on}: {changes}.',
  'impersonation.agree': '{who} agreed that an operator logs in as {on}: {changes}.',
  'impersonation.decline': '{who} declined that an operator logs in as {on}: {changes}.',
  'impersonation.begin': '{who} logged in as {on}: {changes}.',
  'impersonation.use': '{who} opened an application as {on}: {changes}.',
  'impersonation.end': 'A login of an operator as {on} ended, by {who}: {changes}.',
  'device.forgotten': '{who} had a trusted device of {on} forgotten.',
  'limit.forgiven': '{who} let {on} try again.',
  'job.begin': '{who} began a job for many users: {on}.',
  'job.stop': '{who} stopped a job for many users: {on}.',
  'tenant.create': '{who} created the tenant {on}.',
  'tenant.update': '{who} changed the tenant {on}: {changes}.',
  'tenant.delete': '{who} deleted the tenant {on}.',
  'tenant.erase': '{who} erased the rows of the deleted tenant {on}.',
  'tenant.free_domain': '{who} freed the domain {on}.',
  'application.create': '{who} registered the application {on}.',
  'application.update': '{who} changed the application {on}: {changes}.',
  'application.delete': '{who} deleted the application {on}.',
  'application.rotate_secret': '{who} gave the application {on} a new secret.',
  'application.reveal_secret': '{who} looked at the secret of the application {on}.',
  'application.reseal': '{who} encrypted the secret of {on} under the newest master key.',
  'connection.create': '{who} added the connection {on}.',
  'connection.update': '{who} changed the connection {on}: {changes}.',
  'connection.delete': '{who} deleted the connection {on}.',
  'connection.reseal': '{who} encrypted the secret of {on} under the newest master key.',
  'webhook.create': '{who} added the webhook {on}.',
  'webhook.update': '{who} changed the webhook {on}: {changes}.',
  'webhook.delete': '{who} deleted the webhook {on}.',
  'webhook.disable': '{who} switched the webhook {on} off.',
  'webhook.rotate_secret': '{who} gave the webhook {on} a new secret.',
  'webhook.test': '{who} sent a test to the webhook {on}.',
  'webhook.reseal': '{who} encrypted the secret of {on} under the newest master key.',
  'api_key.create': '{who} made the API key {on}.',
  'service.restore': '{who} noted that a backup was restored.',
  'api_key.confirm': '{who} confirmed the API key {on} after a restore.',
  'operator.confirm': '{who} confirmed the operator {on} after a restore.',
  'api_key.revoke': '{who} withdrew the API key {on}.',
  'signing_key.create': '{who} made the signing key {on}.',
  'signing_key.delete': '{who} withdrew the signing key {on}.',
  'signing_key.reseal': '{who} encrypted the signing key {on} under the newest master key.',
  'audit.export': '{who} began to download the audit log of {on}: {changes}.',
  'audit.exported': '{who} downloaded the audit log of {on}: {changes}.',
  'audit.seal': '{who} sealed a day of the audit log: {on}.',
  'operator.invite': '{who} invited the operator {on}.',
  'operator.accept': '{who} accepted the invitation for {on}.',
  'operator.recover': '{who} let the operator {on} begin again.',
  'operator.remove': '{who} removed the operator {on}.',
  'operator.update': '{who} changed the operator {on}: {changes}.',
} satisfies Readonly<Record<WriteAction, Sentence>> & Readonly<Record<string, Sentence>>

/** The same sentences, for a lookup by any action. An unknown action has none. */
export const auditSentences: Readonly<Record<string, Sentence>> = sentences

/**
 * The sentences for updates of a single field, by the type of the object and the field, such as
 * `user disabled=true`.
 */
const flagSentences: Readonly<Record<string, Sentence>> = {
  'user disabled=true': '{who} disabled the user {on}.',
  'user disabled=false': '{who} enabled the user {on}.',
  'user sessions': '{who} ended all sessions of {on}.',
  'operator disabled=true': '{who} disabled the operator {on}.',
  'operator disabled=false': '{who} enabled the operator {on}.',
  'connection enabled=true': '{who} enabled the connection {on}.',
  'connection enabled=false': '{who} disabled the connection {on}.',
}

/** The sentences for actions that are not in this table, by the prefix of the action. */
const families: readonly [beginning: string, Sentence][] = [
  ['login.', 'A login was refused ({action}): {on}.'],
  ['limit.', 'Too many attempts were stopped ({action}): {on}.'],
]

/**
 * The sentence in which the console shows an audit entry, with placeholders such as `{who}`. It
 * depends on the action, the outcome and the changed fields.
 */
export function sentenceOfEntry({ action, outcome, fields = [] }: StoredAuditEntry): Sentence {
  if (outcome === 'refused') return '{who} was refused ({action}): {on}.'
  const [object = ''] = action.split('.')
  const [only] = fields.length === 1 ? fields : []
  const ofFlag = only === undefined ? undefined : flagSentences[`${object} ${only}`]
  if (ofFlag && action.endsWith('.update')) return ofFlag
  const sentence = auditSentences[action]
  if (sentence) {
    return fields.length === 0 && sentence.endsWith(': {changes}.')
      ? '{who} saved {on} without a change.'
      : sentence
  }
  const [, ofFamily] = families.find(([beginning]) => action.startsWith(beginning)) ?? []
  return ofFamily ?? '{who}: {action}, {on}.'
}
