import type { BulkKind } from '../domain/operators/jobs.ts'
import type { Sentence } from './texts/index.ts'

/** The act of a job in words: on a button, and with the number of its users. */
export const bulkActs: Readonly<
  Record<BulkKind, { label: Sentence; effect: Sentence; isRed: boolean }>
> = {
  disable: {
    label: 'Disable',
    effect: 'They cannot log in until they are enabled again, and every session of theirs ends.',
    isRed: true,
  },
  enable: { label: 'Enable', effect: 'They can log in again.', isRed: false },
  'end-sessions': {
    label: 'End sessions',
    effect: 'Every session of theirs ends, and they log in again.',
    isRed: true,
  },
  reset: {
    label: 'Send a link for a new password',
    effect: 'Each of them gets a message with a link that is good for an hour.',
    isRed: false,
  },
  verify: {
    label: 'Send a link that verifies the address',
    effect: 'Each of them gets a message with a link that is good for a day.',
    isRed: false,
  },
  invite: {
    label: 'Send an invitation',
    effect: 'Each of them gets a message with a link that is good for seven days.',
    isRed: false,
  },
}
