import type { Provider } from 'oidc-provider'
import { offeredConnections } from '../domain/connections/connections.ts'
import { factorsChangedAt } from '../domain/factors/factors.ts'
import { loginObstacles } from '../domain/factors/login-obstacles.ts'
import {
  askToImpersonate,
  type Impersonation,
  impersonationState,
  impersonationsOf,
  takeBackQuestion,
  ticketFor,
} from '../domain/operators/impersonations.ts'
import { inviterOf, operatorsOf } from '../domain/operators/operators.ts'
import {
  type ClientAccess,
  type LiveSession,
  type MailRecord,
  type Program,
  type RequestedMail,
  requestedMails,
  type Support,
  type UserState,
} from '../domain/operators/support.ts'
import { blockedHosts, isSelfDescribedId, listedHosts } from '../domain/tenants/client-documents.ts'
import { impersonationMode } from '../domain/tenants/impersonation-mode.ts'
import type { TextMail } from '../domain/tenants/tenant-texts.ts'
import { getTenant, lookUpTenant, setHostBlocked } from '../domain/tenants/tenants.ts'
import { endAllSessions, mayReset } from '../domain/users/accounts.ts'
import { listCredentials } from '../domain/users/credentials.ts'
import { withLegacyPassword } from '../domain/users/legacy-passwords.ts'
import { getUser } from '../domain/users/users.ts'
import { holdOf } from '../domain/ways/second-operator.ts'
import { readStanding } from '../domain/ways/valid-links.ts'
import { note } from '../domain/writes/audit.ts'
import { nowMicros, type Scope } from '../domain/writes/context.ts'
import { keyOf } from '../domain/writes/entries.ts'
import { found, ServiceError } from '../domain/writes/errors.ts'
import { type Reason, reason } from '../domain/writes/reasons/index.ts'
import { composeMail, kindOfTextMail } from '../mail/compose.ts'
import { chooseLanguage, type Language } from '../pages/index.ts'
import { translator } from '../pages/texts/index.ts'
import type { QueuedMessage } from '../store/protocol-store.ts'
import type { Credential, Micros, Reach, Tenant, User } from '../store/records.ts'
import { SYSTEM_TENANT_ID } from '../store/system-tenant.ts'
import { formatTimestamp } from '../wire/timestamps.ts'
import type { IssuerContext } from './context.ts'
import { tellOfImpersonation } from './interaction/mail/impersonation-mail.ts'
import { sendLink, tellReaddressed } from './interaction/mail/messages.ts'
import { distrust, listTrusted } from './interaction/progress/known-device.ts'
import {
  consentsOf,
  consentsTo,
  type GivenConsent,
  hostsOf,
  programSince,
  programsOf,
} from './provider/consents.ts'
import { browserOf } from './requests/browser-name.ts'
import { issuerUrl } from './requests/issuer-url.ts'
import { IMPERSONATE_PATH } from './requests/paths.ts'
import type { RequestFacts } from './requests/request-facts.ts'
import { endActing } from './sessions/acting.ts'
import { endUserSession, sessionsOf, shownId, type UserSession } from './sessions/user-sessions.ts'
import { withdrawConsent } from './sessions/withdraw-consent.ts'

/** The reader of an example of a message. */
type SampleReader = Pick<User, 'email' | 'profile' | 'verifiedAt'>

/** Help of operators for the users of a tenant: for the API and for the console. */
export function createSupport(
  context: IssuerContext,
  providerOf: (tenant: Tenant) => Promise<Provider>,
): Support {
  const shownImpersonation = (one: Impersonation) => ({
    ...one,
    state: impersonationState(one, nowMicros(context.domain.clock)),
  })

  async function sendMail(
    scope: Scope,
    userId: string,
    mail: Parameters<Support['sendMail']>[2],
  ): Promise<MailRecord> {
    const [tenant, user] = await Promise.all([getTenant(scope), getUser(scope, userId)])
    const { kind, language = languageOf(user) } = mail
    await checkUse(scope, tenant, user, kind)
    await refuseHeld(scope, user)
    const facts = factsFor(context, tenant, scope)
    const sent = await sendLink(context, kind, { facts, language }, user.email, user)
    if (!sent) throw tooManyMails()
    await note(scope, 'mail.requested', user.id)
    return recordOf(sent)
  }

  async function queued(scope: Scope, id: string): Promise<QueuedMessage> {
    await getTenant(scope)
    const message = found(await context.outbox.get(scope.tenantId, id))
    return found(message.kind === undefined ? undefined : message)
  }

  async function stateOf(
    tenant: Tenant,
    user: User,
    credentials: readonly Credential[],
  ): Promise<UserState> {
    const changedAt = factorsChangedAt(credentials)
    const newest = { userId: user.id, after: undefined, limit: 10 }
    const [standing, sessions, devices, mails, offered, ways, consents] = await Promise.all([
      readStanding(context.domain, user),
      sessionsOf(context, user),
      listTrusted({ context, tenant }, user, { changedAt }),
      context.outbox.find(tenant.id, newest),
      offeredConnections(context.domain, tenant),
      withLegacyPassword({ context: context.domain, tenantId: tenant.id }, user, credentials),
      consentsOf({ context, tenant }, user.id),
    ])
    const addresses = sessions.map(({ address = '' }) => address)
    const { settings } = tenant
    const pauses = await context.throttle.pausesOf(tenant.id, user, addresses)
    const refusedMail = refusalOf(mails[0])
    const heldUntil = holdOf({ user, standing }, nowMicros(context.domain.clock))?.until
    return {
      sessions: await Promise.all(sessions.map(liveSession)),
      devices: await Promise.all(
        devices.map(async ({ key, since, userAgent }) => ({
          id: key,
          since,
          ...(await browserOf(userAgent)),
        })),
      ),
      clients: consents.map((consent) => accessOf({ ...consent, userId: user.id })),
      mails: mails.map(recordOf),
      obstacles: loginObstacles({
        ...{ settings, user, standing, credentials: ways, offered, pauses, refusedMail, heldUntil },
      }),
    }
  }

  /** A message with example values. */
  function compose(
    tenant: Tenant,
    mail: TextMail,
    { to, ...options }: { language: Language; to: SampleReader; logoUrl?: string | undefined },
  ) {
    const application = tenant.settings.companyName || tenant.settings.domain
    const isCode = mail === 'code' || mail === 'login_code'
    return composeMail(kindOfTextMail(mail), tenant, to, {
      ...options,
      ...(isCode
        ? { values: { code: '12345678', application } }
        : { link: `${issuerUrl(tenant.settings.domain, context)}/reset?token=example` }),
    })
  }

  return {
    sendsMail: context.outbox.sends,

    sample(tenant, mail, language, logoUrl) {
      const to = { email: 'ada@example.com', profile: { given_name: 'Ada' }, verifiedAt: 1 }
      const { subject, text, html } = compose(tenant, mail, { language, to, logoUrl })
      return { subject, text, html }
    },

    async sendSample(scope, { tenant, mail, language, to }) {
      const facts = factsFor(context, tenant, scope)
      if (!(await context.throttle.admitMail(facts, to.email))) {
        throw new ServiceError('rate_limited', reason('mail_too_many'), {
          retryAfterSeconds: 3_600,
        })
      }
      const message = compose(tenant, mail, { language, to })
      const subject = translator(language)('mailTestSubject', { subject: message.subject })
      await context.outbox.post(tenant, { ...message, subject }, { kind: kindOfTextMail(mail) })
      await note(scope, 'mail.tested', scope.tenantId)
    },

    async sessions(scope, userId) {
      const user = await getUser(scope, userId)
      return Promise.all((await sessionsOf(context, user)).map(liveSession))
    },

    async endSession(scope, userId, id) {
      const [tenant, user] = await Promise.all([getTenant(scope), getUser(scope, userId)])
      const session = found(
        (await sessionsOf(context, user)).find(({ uid }) => shownId(uid) === id),
      )
      await endUserSession(context, await providerOf(tenant), user, session)
      await note(scope, 'logout.succeeded', user.id)
      return liveSession(session)
    },

    async endSessions(scope, userId) {
      const user = await getUser(scope, userId)
      const sessions = await Promise.all((await sessionsOf(context, user)).map(liveSession))
      // The follower of the audit log tells the applications and revokes the tokens.
      await endAllSessions(scope, userId)
      return sessions
    },

    sendMail,
    mail: async (scope, id) => recordOf(await queued(scope, id)),

    async mails(scope, query) {
      await getTenant(scope)
      return (await context.outbox.find(scope.tenantId, query)).map(recordOf)
    },

    async mailsInState({ tenantId }, { state, after, limit }) {
      const read = await context.outbox.find(tenantId, { state, after, limit: limit + 1 })
      const items = read.slice(0, limit).map(recordOf)
      return { items, next: read.length > limit ? items.at(-1) : undefined }
    },

    async sendAgain(scope, id) {
      const message = await queued(scope, id)
      const { kind, userId } = message
      const requested = requestedMails.find((one) => one === kind)
      if (!requested || userId === undefined) {
        throw new ServiceError('conflict', reason('mail_not_sent_again'))
      }
      return sendMail(scope, userId, {
        kind: requested,
        language: context.outbox.languageOf(message),
      })
    },

    stateOf,

    async obstacles(scope, userId) {
      const [tenant, user, { items }] = await Promise.all([
        getTenant(scope),
        getUser(scope, userId),
        listCredentials(scope, userId, { after: undefined, limit: 100 }),
      ])
      return (await stateOf(tenant, user, items)).obstacles
    },

    async forgetDevice(scope, userId, id) {
      const [tenant, user] = await Promise.all([getTenant(scope), getUser(scope, userId)])
      const devices = await listTrusted({ context, tenant }, user, { changedAt: 0 })
      await distrust({ context, tenant }, found(devices.find(({ key }) => key === id)))
      await note(scope, 'device.forgotten', user.id)
    },

    async withdrawAccess(scope, userId, id) {
      const [tenant, user] = await Promise.all([getTenant(scope), getUser(scope, userId)])
      const consents = await consentsOf({ context, tenant }, user.id)
      const consent = found(consents.find((one) => keyOf(one.clientId) === id))
      const { clientId } = consent
      await withdrawConsent(context, await providerOf(tenant), user, clientId)
      const actor = { ...scope.actor, applicationId: clientId }
      await note({ ...scope, actor }, 'consent.withdrawn', user.id)
      return accessOf({ ...consent, userId: user.id })
    },

    async grants(scope, userId) {
      const [tenant, user] = await Promise.all([getTenant(scope), getUser(scope, userId)])
      const consents = await consentsOf({ context, tenant }, user.id)
      return consents.map((consent) => accessOf({ ...consent, userId: user.id }))
    },

    async grantsTo(scope, to, page) {
      const { items, next } = await consentsTo(
        { context, tenant: await getTenant(scope) },
        to,
        page,
      )
      return { items: items.map(accessOf), next }
    },

    async programs(scope, isBlocked, { after, limit }) {
      const tenant = await getTenant(scope)
      const holder = { context, tenant }
      const items: Program[] = []
      if (isBlocked !== false && !(after && 'granted' in after)) {
        const behind = after && 'blocked' in after ? after.blocked : ''
        const hosts = blockedHosts(tenant).filter((host) => host > behind)
        const part = hosts.slice(0, limit)
        const times = part.map((host) => programSince(holder, host))
        const grantedAt = await Promise.all(times)
        items.push(...part.map((host, at) => programOf(tenant, host, grantedAt[at])))
        if (hosts.length > limit) return { items, next: { blocked: part.at(-1) ?? '' } }
        if (isBlocked) return { items, next: undefined }
        if (items.length === limit) return { items, next: { granted: null } }
      }
      const place = after && 'granted' in after ? after.granted : null
      const rest = { after: place ?? undefined, limit: limit - items.length }
      const granted = await programsOf(holder, rest)
      const others = granted.items
        .map(({ host, since }) => programOf(tenant, host, since))
        .filter((one) => !one.isBlocked)
      return { items: [...items, ...others], next: granted.next && { granted: granted.next } }
    },

    async program(scope, host) {
      const tenant = await getTenant(scope)
      const one = programOf(tenant, host, await programSince({ context, tenant }, host))
      const isKnown = one.isBlocked || one.isListed || one.grantedAt !== undefined
      return found(isKnown || one.judgedAt !== undefined ? one : undefined)
    },

    async blockProgram(scope, host, isBlocked) {
      const tenant = await setHostBlocked(scope, host, isBlocked)
      return programOf(tenant, host, await programSince({ context, tenant }, host))
    },

    async tellOfMove(scope, before, user, standing) {
      // The owner of an address that was never proven may be anybody.
      if (before.verifiedAt === undefined) return
      const tenant = await getTenant(scope)
      const facts = factsFor(context, tenant, scope)
      await tellReaddressed(
        context,
        { facts, language: languageOf(before) },
        before,
        user,
        standing,
      )
    },

    async tellOfRole(scope, { operator, before, by }) {
      const own = { ...scope, tenantId: SYSTEM_TENANT_ID }
      const [tenant, user] = await Promise.all([getTenant(own), getUser(own, operator.id)])
      const language = languageOf(user)
      const { role, reach } = operator
      const tenants = tenantsIn(language, reach)
      const values = {
        ...{ before: before.role, role, tenants },
        by: by ?? translator(language)('mailRoleByCommand'),
      }
      const message = composeMail('role', tenant, user, { language, values })
      await context.outbox.post(tenant, message, { kind: 'role', userId: user.id })
    },

    async mailInvitation(scope, { invited, link, by, isStepForced }) {
      const { operator, user } = invited
      const tenant = await getTenant({ ...scope, tenantId: SYSTEM_TENANT_ID })
      const language = languageOf(user)
      const { role, reach } = operator
      const message = composeMail('operatorInvite', tenant, user, {
        ...{ language, link },
        ...(!isStepForced && { text: 'mailOperatorInviteTextOfOneStep' }),
        values: { by, role, tenants: tenantsIn(language, reach), host: new URL(link).host },
      })
      await context.outbox.post(tenant, message, { kind: 'operatorInvite', userId: user.id })
    },

    async tellOfAcceptance(scope, { operator, user }) {
      const tenant = await getTenant({ ...scope, tenantId: SYSTEM_TENANT_ID })
      const inviter = await inviterOf(scope, operator.id)
      if (!inviter) return
      const values = { email: user.email, role: operator.role }
      const kind = 'operatorJoined'
      const message = composeMail(kind, tenant, inviter, { language: languageOf(inviter), values })
      await context.outbox.post(tenant, message, { kind, userId: inviter.id })
    },

    async tellOfWebhook(scope, { url, reason }) {
      const [system, tenant] = await Promise.all(
        [SYSTEM_TENANT_ID, scope.tenantId].map((id) => lookUpTenant(context.domain, id)),
      )
      if (!system || !tenant) return
      const kind = reason === 'gone' ? 'webhookGone' : 'webhookFailing'
      // The host alone: the path of an endpoint may be its secret.
      const values = { host: new URL(url).host, tenant: tenant.settings.domain }
      for (const { user } of await operatorsOf(scope)) {
        const message = composeMail(kind, system, user, { language: languageOf(user), values })
        await context.outbox.post(system, message, { kind, userId: user.id })
      }
    },
    contact: (connection) => context.upstreams.contact(connection),

    async impersonations(scope, userId) {
      const tenant = await getTenant(scope)
      const found = await impersonationsOf({ context, tenant }, userId)
      return found.map(({ value }) => shownImpersonation(value))
    },

    async askToImpersonate(scope, by, userId, because) {
      const [tenant, user] = await Promise.all([getTenant(scope), getUser(scope, userId)])
      const holder = { context, tenant }
      const facts = factsFor(context, tenant, scope)
      const isAsked = impersonationMode(tenant) === 'asked'
      if (isAsked && !(await context.throttle.admitMail(facts, user.email))) throw tooManyMails()
      const made = await askToImpersonate(holder, scope.actor, by, user, because)
      if (made.mode === 'asked') {
        await tellOfImpersonation(context, tenant, user, made, 'impersonationAsked')
      }
      return shownImpersonation(made)
    },

    async impersonate(scope, by, userId, id) {
      const [tenant, user] = await Promise.all([getTenant(scope), getUser(scope, userId)])
      const ticket = await ticketFor({ context, tenant }, by, id)
      const issuer = issuerUrl(tenant.settings.domain, context)
      return { action: `${issuer}${IMPERSONATE_PATH}`, ticket, email: user.email }
    },

    async endImpersonation(scope, userId, id) {
      const tenant = await getTenant(scope)
      const holder = { context, tenant }
      found((await impersonationsOf(holder, userId)).find(({ value }) => value.id === id))
      if (await takeBackQuestion(holder, scope.actor, id)) return
      const provider = await providerOf(tenant)
      await endActing({ ...holder, provider }, scope.actor, id, 'operator')
    },

    async letTryAgain(scope, userId) {
      const user = await getUser(scope, userId)
      await context.throttle.resetUser(scope.tenantId, user)
      await note(scope, 'limit.forgiven', user.id)
    },
  }
}

/** The language in which the user reads, as far as the profile tells. */
function languageOf({ profile }: User): Language {
  return chooseLanguage(profile.locale?.replace('_', '-'), undefined)
}

function tenantsIn(language: Language, reach: Reach): string {
  return reach === 'all' ? translator(language)('mailRoleAllTenants') : reach.join(', ')
}

function tooManyMails(): ServiceError {
  return new ServiceError('rate_limited', reason('mail_too_many'), { retryAfterSeconds: 3_600 })
}

/** Refuses a link to an address that waits for a second operator, which would open nothing. */
async function refuseHeld(scope: Scope, user: User): Promise<void> {
  const standing = await readStanding(scope.context, user)
  const hold = holdOf({ user, standing }, nowMicros(scope.context.clock))
  if (!hold) return
  const until = formatTimestamp(hold.until).slice(0, 16).replace('T', ' ')
  throw new ServiceError('conflict', reason('address_held', { time: until }))
}

/** Refuses a link that would open nothing. */
async function checkUse(
  scope: Scope,
  { settings }: Tenant,
  user: User,
  kind: RequestedMail,
): Promise<void> {
  const refuse = (because: Reason) => new ServiceError('conflict', because)
  if (kind === 'verify') {
    if (user.verifiedAt !== undefined) throw refuse(reason('mail_address_verified'))
    if (user.disabled) throw refuse(reason('mail_user_disabled'))
    return
  }
  if (!settings.allowPasswords) throw refuse(reason('mail_passwords_off'))
  if (!(await mayReset(scope.context, scope.tenantId, user))) {
    throw refuse(reason('mail_password_disabled'))
  }
  const page = { after: undefined, limit: 1 }
  if (kind === 'invite' && (await listCredentials(scope, user.id, page)).total > 0) {
    throw refuse(reason('mail_has_way_in'))
  }
}

function factsFor(context: IssuerContext, tenant: Tenant, { actor }: Scope): RequestFacts {
  return {
    tenant,
    issuer: issuerUrl(tenant.settings.domain, context),
    clientIp: actor.address ?? '',
    userAgent: actor.userAgent,
    requestId: actor.requestId ?? '',
    startedAt: nowMicros(context.domain.clock),
  }
}

async function liveSession({
  uid,
  loginTs,
  userAgent,
  address = '',
  authorizations,
}: UserSession): Promise<LiveSession> {
  return {
    id: shownId(uid),
    loggedInAt: Math.floor(loginTs),
    address,
    applicationIds: Object.keys(authorizations),
    ...(await browserOf(userAgent)),
  }
}

function accessOf(consent: GivenConsent): ClientAccess {
  const { userId, clientId, name, place, since, usedAt, scopes, apis } = consent
  return {
    ...{ id: keyOf(clientId), userId, clientId, name, place, since, usedAt, apis },
    isApplication: !isSelfDescribedId(clientId),
    hosts: hostsOf(consent),
    scopes: [...scopes, ...Object.values(apis).flat()],
    ofLogin: scopes,
  }
}

function programOf(tenant: Tenant, host: string, grantedAt: Micros | undefined): Program {
  return {
    host,
    isBlocked: blockedHosts(tenant).includes(host),
    isListed: listedHosts(tenant).includes(host),
    judgedAt: Object.entries(tenant.endedHosts ?? {}).find(([name]) => name === host)?.[1],
    grantedAt,
  }
}

/** The last answer of the mail server to a message that was given up. */
function refusalOf(message: QueuedMessage | undefined): string | undefined {
  return message?.outcome === 'given_up' ? (message.answer ?? 'no answer') : undefined
}

function recordOf({ sealed, ...record }: QueuedMessage): MailRecord {
  return record
}
