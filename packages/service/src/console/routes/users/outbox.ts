import { type MailRecipient, recipientsOf } from '../../../domain/operators/mail-addresses.ts'
import { requestedMails } from '../../../domain/operators/support.ts'
import type { MessageState } from '../../../store/protocol-store.ts'
import {
  type ConsoleRoute,
  type Result,
  redirectTo,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../../calls/call.ts'
import { mailStates, shownMail } from '../../forms/mail-form.ts'
import { asIs, message } from '../../texts/index.ts'

const PAGE = 50

const help = { needs: 'help' } as const

export const outboxRoutes: readonly ConsoleRoute[] = [
  tenantPage('/outbox', show),
  tenantForm('/outbox/:mail/again', sendAgain, help),
]

const states = Object.keys(mailStates) as MessageState[]

/** Shows the messages of the last 7 days with their states, without their content. */
async function show({ scope, support, tenant, query }: TenantCall): Promise<Result> {
  const state = states.find((one) => one === query.get('state'))
  const { items, next } = await support.mailsInState(scope, {
    state,
    after: placeIn(query),
    limit: PAGE,
  })
  const further =
    next &&
    new URLSearchParams({ state: state ?? '', at: String(next.createdAt), id: next.id }).toString()
  const users = `/console/t/${tenant.id}/users`
  const recipients = await recipientsOf(scope, items)
  return {
    kind: 'page',
    name: 'outbox',
    title: 'Outbox',
    data: {
      base: `/console/t/${tenant.id}/outbox`,
      state: state ?? '',
      states: states.map((one) => [one, mailStates[one].label] as const),
      further,
      mails: items.map((one) => ({
        ...shownMail(one),
        canBeSentAgain:
          one.userId !== undefined && requestedMails.some((kind) => kind === one.kind),
        ...recipientIn(users, one.userId, recipients.get(one.id)),
      })),
    },
    commands: [
      `latchkey mails list --tenant ${tenant.id}`,
      ...items.slice(0, 1).map(({ id }) => `latchkey mails resend ${id} --tenant ${tenant.id}`),
    ],
  }
}

/** The recipient of a message, and the path of their page. A deleted user has no page. */
function recipientIn(users: string, userId: string | undefined, known: MailRecipient | undefined) {
  if (!known) return { recipient: userId === undefined ? undefined : asIs(userId) }
  const { user, address } = known
  const other = message('another address of {user}', { user: user.email })
  return {
    recipient: address === undefined ? other : asIs(address),
    userPath: `${users}/${user.id}`,
  }
}

function placeIn(query: URLSearchParams): { createdAt: number; id: string } | undefined {
  const id = query.get('id')
  const createdAt = Number(query.get('at') ?? Number.NaN)
  return id === null || !Number.isSafeInteger(createdAt) ? undefined : { createdAt, id }
}

async function sendAgain({ scope, support, ids, tenant }: TenantCall): Promise<Result> {
  await support.sendAgain(scope, ids.mail ?? '')
  return redirectTo(`/console/t/${tenant.id}/outbox`, 'mailed')
}
