import type { Command } from 'commander'
import type { AuditQuery } from '../resources/audit.ts'
import type { MailInput } from '../resources/mails.ts'
import type { UserSearch } from '../resources/users.ts'
import type { AuditEntry, LoginObstacle, Mail, Session } from '../types.ts'
import { connect, type TenantOptions, tenantOf, withTenant } from './options.ts'
import { type Columns, type OutputOptions, printAll, printOne, withOutput } from './output.ts'
import { userColumns } from './resources.ts'

type Options = TenantOptions & OutputOptions & { user: string }

const auditColumns: Columns<AuditEntry> = ({ id, at, actor, action, target, outcome, fields }) => ({
  ...{ id, at, actor, action, target, outcome },
  fields: fields.join(' '),
})

const sessionColumns: Columns<Session> = ({ id, logged_in_at, browser, system }) => ({
  id,
  'logged in': logged_in_at,
  browser: [browser, system].filter((name) => name !== '').join(', '),
})

const mailColumns: Columns<Mail> = ({ id, created_at, kind, user_id, state, ...mail }) => ({
  ...{ id, created: created_at, kind, user: user_id, state },
  attempts: String(mail.attempts),
  answer: mail.last_answer,
})

const obstacleColumns: Columns<LoginObstacle> = ({ reason, sentence, help }) => ({
  ...{ reason, sentence },
  help: help.join(' '),
})

/**
 * Adds `users search`, `users login-trouble`, `users let-try-again`, `audit`, `sessions` and
 * `mails`. Their endpoints are not part of the API specification.
 */
export function addSupportCommands(program: Command, users: Command): void {
  addUserCommands(users)
  addAuditCommands(program)
  addSessionCommands(program)
  addMailCommands(program)
}

/** The options of `users search`. */
interface SearchOptions extends Pick<UserSearch, 'disabled' | 'verified'> {
  lastLoginBy?: UserSearch['last_login_by']
  notSince?: string
}

/** Adds a command with the options for the tenant and for the output. */
function add(group: Command, usage: string, description: string): Command {
  return withOutput(withTenant(group.command(usage).description(description)))
}

/** Creates the client, and finds the id of the tenant; see {@link tenantOf}. */
async function open(options: Options) {
  const client = connect(options)
  const tenantId = await tenantOf(client, options)
  return { client, tenantId }
}

/** Adds the subcommands of `users` that find users and help them to log in. */
function addUserCommands(users: Command): void {
  add(users, 'search [beginning]', 'Find users by the beginning of an address, a name or an id.')
    .option('--disabled <flag>', 'true: only those who are disabled; false: only the others')
    .option('--verified <flag>', 'true: only those whose address is verified; false: the others')
    .option('--last-login-by <way>', 'password, passkey, social, code or never')
    .option('--not-since <day>', 'only those without a login since the day, such as 2026-12-31')
    .action(async (search: string | undefined, options: Options & SearchOptions) => {
      const { client, tenantId } = await open(options)
      const { disabled, verified, lastLoginBy: last_login_by, notSince: not_since } = options
      const query = { search, disabled, verified, last_login_by, not_since }
      const found = client.users(tenantId).search(query)
      await printAll(found, options, userColumns)
    })

  add(
    users,
    'login-trouble <id>',
    'Show what keeps a user from logging in, and what helps.',
  ).action(async (id: string, options: Options) => {
    const { client, tenantId } = await open(options)
    await printAll(toAsync(await client.users(tenantId).loginTrouble(id)), options, obstacleColumns)
  })
  add(users, 'let-try-again <id>', 'Forget failed attempts; shows what keeps the user out.').action(
    async (id: string, options: Options) => {
      const { client, tenantId } = await open(options)
      await printAll(
        toAsync(await client.users(tenantId).letTryAgain(id)),
        options,
        obstacleColumns,
      )
    },
  )
}

/** Adds `audit`. */
function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('list, get entries of the audit log')
  add(audit, 'list', 'Show who did what, the newest entries first.')
    .option('--actor <actor>', 'such as user:usr_… or key:key_…')
    .option('--action <beginning>', 'the beginning of the action, such as login.')
    .option('--target <id>', 'what it was done to')
    .option('--user <id>', 'a user, with all objects of the user')
    .option('--from <instant>', 'such as 2026-01-31T09:30:00Z')
    .option('--to <instant>', 'before this instant')
    .action(async (options: Options & AuditQuery) => {
      const { client, tenantId } = await open(options)
      const { actor, action, target, user, from, to } = options
      const entries = client.audit(tenantId).list({ actor, action, target, user, from, to })
      await printAll(entries, options, auditColumns)
    })
  add(audit, 'get <id>', 'Show one entry.').action(async (id: string, options: Options) => {
    const { client, tenantId } = await open(options)
    await printOne(await client.audit(tenantId).get(id), options)
  })
}

/** Adds `sessions`. */
function addSessionCommands(program: Command): void {
  const sessions = program.command('sessions').description('list, end, end-all sessions of a user')
  const ofUser = (usage: string, description: string) =>
    add(sessions, usage, description).requiredOption('--user <id>', 'whose they are')
  const openSessions = async (options: Options) => {
    const { client, tenantId } = await open(options)
    return client.sessions(tenantId, options.user)
  }
  ofUser('list', 'Show where a user is logged in.').action(async (options: Options) => {
    await printAll((await openSessions(options)).list(), options, sessionColumns)
  })
  ofUser('end <id>', 'End one session.').action(async (id: string, options: Options) => {
    await printOne(await (await openSessions(options)).end(id), options)
  })
  ofUser('end-all', 'End all sessions; shows those that there were.').action(
    async (options: Options) => {
      const ended = await (await openSessions(options)).endAll()
      await printAll(toAsync(ended), options, sessionColumns)
    },
  )
}

/** Adds `mails`. */
function addMailCommands(program: Command): void {
  const mails = program.command('mails').description('list, get, send, resend mail to users')
  const openMails = async (options: Options) => {
    const { client, tenantId } = await open(options)
    return client.mails(tenantId)
  }
  add(mails, 'list', 'Show what became of the messages of the last 7 days.')
    .option('--user <id>', 'to one user')
    .action(async (options: Options) => {
      const list = (await openMails(options)).list({ user: options.user })
      await printAll(list, options, mailColumns)
    })
  add(mails, 'get <id>', 'Show what became of a message.').action(
    async (id: string, options: Options) => {
      await printOne(await (await openMails(options)).get(id), options)
    },
  )
  add(mails, 'send', 'Send a user a link.')
    .requiredOption('--user <id>', 'who gets it')
    .requiredOption('--kind <kind>', 'reset, invite or verify')
    .option('--language <language>', 'en or de (default: that of the user)')
    .action(async (options: Options & MailInput) => {
      const { user, kind, language } = options
      await printOne(await (await openMails(options)).send(user, { kind, language }), options)
    })
  add(mails, 'resend <id>', 'Send a message again, with a new link.').action(
    async (id: string, options: Options) => {
      await printOne(await (await openMails(options)).sendAgain(id), options)
    },
  )
}

async function* toAsync<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}
