import { z } from 'zod'
import { sentenceOf } from '../../domain/factors/obstacle-sentences.ts'
import { mailLanguages, requestedMails } from '../../domain/operators/support.ts'
import { nowMicros } from '../../domain/writes/context.ts'
import { sentenceIn } from '../../domain/writes/reasons/index.ts'
import { decodePlace, encodePlace, timedPage } from '../../wire/places.ts'
import { serializeMail, serializeSession } from '../../wire/support.ts'
import { formatTimestamp } from '../../wire/timestamps.ts'
import { type Call, query, type Route, write } from '../route.ts'

const tenant = '/x/v1/tenants/:tenant_id'
const user = `${tenant}/users/:user_id`

const language = z.enum(mailLanguages).optional().meta({
  description: 'The language of the message. Default: that of the "locale" of the user, or en.',
})

const mailBody = z
  .object({
    kind: z.enum(requestedMails).meta({
      description:
        'reset: a link for a new password. invite: the same for a user without a way to log in, for 7 days. verify: a link that proves the address.',
    }),
    language,
  })
  .meta({ description: 'A message to send.' })

/** The position of a mail in the list: its time of creation and its id. */
const place = z.tuple([z.int(), z.string()])

/** The routes for helping a user who cannot log in: sessions, login trouble and mail. */
export const supportRoutes: Route[] = [
  query({
    path: `${user}/sessions`,
    operationId: 'listSessions',
    summary: 'The sessions of a user, the newest login first',
    resource: 'Session',
    filters: z.object({}),
    serialize: serializeSession,
    run: async ({ scope, ids, support }, _, page) =>
      timedPage(await support.sessions(scope, ids.user_id), ({ loggedInAt }) => loggedInAt, page),
  }),
  {
    kind: 'delete',
    path: `${user}/sessions/:session_id`,
    operationId: 'endSession',
    summary: 'End a session: its applications are notified, and its tokens revoked',
    resource: 'Session',
    run: async ({ scope, ids, support }) =>
      serializeSession(await support.endSession(scope, ids.user_id, ids.session_id)),
  },
  {
    kind: 'delete',
    path: `${user}/sessions`,
    operationId: 'endSessions',
    summary: 'End all sessions of a user; answers with the ended sessions',
    resource: 'EndedSessions',
    async run({ scope, ids, support }) {
      const data = (await support.endSessions(scope, ids.user_id)).map(serializeSession)
      return { type: 'EndedSessions', data }
    },
  },
  {
    kind: 'get',
    path: `${user}/login-trouble`,
    operationId: 'getLoginTrouble',
    summary: 'The reasons why a user cannot log in now, in sentences, each with its remedies',
    resource: 'LoginTrouble',
    run: serializeTrouble,
  },
  write({
    path: `${user}/let-try-again`,
    operationId: 'letTryAgain',
    summary: 'Forget the failed attempts of a user; answers with the reasons that are left',
    resource: 'LoginTrouble',
    body: z.object({}).meta({ description: 'An empty object.' }),
    async run(call) {
      await call.support.letTryAgain(call.scope, call.ids.user_id)
      return serializeTrouble(call)
    },
  }),
  write({
    path: `${user}/mails`,
    operationId: 'sendMail',
    summary: 'Send a user a link for a new password, an invitation, or one that proves the address',
    resource: 'Mail',
    body: mailBody,
    run: async ({ scope, ids, support }, body) =>
      serializeMail(await support.sendMail(scope, ids.user_id, body)),
  }),
  query({
    path: `${tenant}/mails`,
    operationId: 'listMails',
    summary: 'The messages of the last 7 days with their delivery, the newest first',
    resource: 'Mail',
    filters: z.object({
      user: z.string().min(1).max(100).optional().meta({ description: 'The id of a user.' }),
    }),
    serialize: serializeMail,
    async run({ scope, support }, { user: userId }, { after, limit }) {
      const [createdAt, id] = decodePlace(after, place) ?? []
      const lastSeen = createdAt === undefined || id === undefined ? undefined : { createdAt, id }
      // One item more than the page holds shows whether there is a next page.
      const found = await support.mails(scope, { userId, after: lastSeen, limit: limit + 1 })
      const items = found.slice(0, limit)
      const last = found.length > limit ? items.at(-1) : undefined
      return { items, next: last && encodePlace([last.createdAt, last.id]) }
    },
  }),
  {
    kind: 'get',
    path: `${tenant}/mails/:mail_id`,
    operationId: 'getMail',
    summary: 'One message with its delivery',
    resource: 'Mail',
    run: async ({ scope, ids, support }) => serializeMail(await support.mail(scope, ids.mail_id)),
  },
  write({
    path: `${tenant}/mails/:mail_id/resend`,
    operationId: 'resendMail',
    summary: 'Send a message again, with a new link that replaces the old one',
    resource: 'Mail',
    body: z.object({}).meta({ description: 'An empty object.' }),
    run: async ({ scope, ids, support }) =>
      serializeMail(await support.sendAgain(scope, ids.mail_id)),
  }),
]

async function serializeTrouble({ scope, ids, support }: Call): Promise<object> {
  const now = nowMicros(scope.context.clock)
  const obstacles = await support.obstacles(scope, ids.user_id)
  return {
    type: 'LoginTrouble',
    obstacles: obstacles.map((one) => ({
      reason: one.reason,
      sentence: sentenceIn('en', sentenceOf(one, now)),
      ...(one.isPartial && { partial: true }),
      ...(one.until !== undefined && { until: formatTimestamp(one.until) }),
      ...(one.network !== undefined && { network: one.network }),
      ...(one.answer !== undefined && { last_answer: one.answer }),
      help: one.help,
    })),
  }
}
