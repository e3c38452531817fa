import type { BulkKind } from '../../domain/operators/jobs.ts'
import type { Sentence } from '../texts/index.ts'

/**
 * The texts about each kind of job: `label` on its button, `effect` on the page that confirms it,
 * and `told` in the audit log. `isRed` is whether the button is red.
 */
export const bulkActs: Readonly<
  Record<BulkKind, { label: Sentence; effect: Sentence; told: Sentence; isRed: boolean }>
> = {
  disable: {
    label: 'Disable',
    effect: 'They cannot log in until they are enabled again, and every session of theirs ends.',
    told: '{who} disabled users by a job: {on}.',
    isRed: true,
  },
  enable: {
    label: 'Enable',
    effect: 'They can log in again.',
    told: '{who} enabled users by a job: {on}.',
    isRed: false,
  },
  'end-sessions': {
    label: 'End sessions',
    effect: 'Every session of theirs ends, and they log in again.',
    told: '{who} ended the sessions of users by a job: {on}.',
    isRed: true,
  },
  reset: {
    label: 'Send a link for a new password',
    effect: 'Each of them gets a message with a link that is good for an hour.',
    told: '{who} sent users a link for a new password by a job: {on}.',
    isRed: false,
  },
  verify: {
    label: 'Send a link that verifies the address',
    effect: 'Each of them gets a message with a link that is good for a day.',
    told: '{who} sent users a link that verifies the address by a job: {on}.',
    isRed: false,
  },
  invite: {
    label: 'Send an invitation',
    effect: 'Each of them gets a message with a link that is good for seven days.',
    told: '{who} sent users an invitation by a job: {on}.',
    isRed: false,
  },
}
