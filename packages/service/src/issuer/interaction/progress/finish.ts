import { isNewDeviceTold } from '../../../domain/tenants/tenant-features.ts'
import { acrOf, amrOf, levelOf, loginWayOf, type Method } from '../../../domain/ways/assurance.ts'
import { note, noteLogin } from '../../../domain/writes/audit.ts'
import { translator } from '../../../pages/index.ts'
import type { User } from '../../../store/records.ts'
import { count } from '../../../telemetry/metrics.ts'
import { type Acting, readSession } from '../../engine/session.ts'
import { collectChanges, makeChanges } from '../../provider/request-changes.ts'
import { deviceNameOf } from '../../requests/browser-name.ts'
import { redirect } from '../../requests/http.ts'
import { noteActingLogout } from '../../sessions/acting.ts'
import { endSession } from '../../sessions/end-session.ts'
import {
  type Interaction,
  type InteractionRequest,
  mailContextOf,
  scopeOf,
} from '../flow/flow-request.ts'
import { sendNews } from '../mail/messages.ts'
import { rememberDevice } from './known-device.ts'

/** The factors that a user has proven during a login. */
export interface ProvenFactors {
  /** The factors, in the order in which they were proven. */
  proofs: readonly Method[]
  /**
   * A time before the user was read and the factor was verified, in seconds since the epoch. If the
   * user's sessions are revoked after this time, so is this login.
   */
  loggedInAt: number
  /**
   * The time of a revocation that this login survived, because it caused that revocation itself.
   */
  keptAt?: number | undefined
  /**
   * For a login at a provider: the time at which the provider authenticated the user; 0 if unknown.
   */
  provenAt?: number | undefined
  /** Whether the second step is skipped on this device from now on. */
  trust?: boolean | undefined
}

/**
 * Logs the user in, and continues the application's request. Only `login-progress.ts` calls this,
 * once every required factor is proven.
 */
export async function finishLogin(
  flow: InteractionRequest,
  user: User,
  { proofs, loggedInAt, keptAt, provenAt, trust = false }: ProvenFactors,
): Promise<void> {
  const { tenant } = flow
  const level = levelOf(proofs)
  await endOtherSession(flow, user)
  await collectChanges(async () => {
    const [isNewDevice] = await Promise.all([
      rememberDevice(flow, user, Math.max(loggedInAt, keptAt ?? 0), trust),
      noteLogin(scopeOf(flow, user.id), user.id, loginWayOf(proofs)),
    ])
    count('logins', { outcome: 'succeeded', method: proofs[0] ?? 'session' })
    if (isNewDevice) await tellOfDevice(flow, user, loggedInAt)
    await finishInteraction(flow, {
      login: {
        accountId: user.id,
        ts: loggedInAt,
        keptAt,
        provenAt,
        amr: amrOf(proofs),
        ...(level !== 'single' && { acr: acrOf[level] }),
        remember: tenant.settings.rememberLoginSeconds > 0,
      },
      // A login also fulfills the prompts to sign up and to choose an account.
      create: {},
      select_account: {},
    })
  })
}

/**
 * Logs an operator in as the user. This is not recorded as a login of the user, because the user
 * has proven nothing, and the browser is not the user's.
 *
 * @param begunAt - The start of the operator's login, in seconds since the epoch.
 */
export async function finishActing(
  flow: InteractionRequest,
  user: User,
  acting: Acting,
  begunAt: number,
): Promise<void> {
  await endOtherSession(flow)
  await collectChanges(() =>
    finishInteraction(flow, {
      login: { accountId: user.id, ts: begunAt, provenAt: 0, acting, remember: false },
    }),
  )
}

/**
 * Notifies the user of a login on a new device, unless the tenant has turned this off. An
 * unverified address gets no message, because it may belong to another person.
 */
async function tellOfDevice(flow: InteractionRequest, user: User, at: number): Promise<void> {
  if (!isNewDeviceTold(flow.tenant) || user.verifiedAt === undefined) return
  const mailContext = mailContextOf(flow)
  const device = await deviceNameOf(flow.facts.userAgent, translator(mailContext.language))
  await sendNews(flow.context, 'device', mailContext, user, { values: { device }, at: at * 1e6 })
}

/**
 * Continues the application's request with the result.
 *
 * @param result - The results of the prompts, in oidc-provider's form. They replace the results of
 *   earlier steps.
 */
export async function finishInteraction(
  { context, interaction, response }: InteractionRequest,
  result: NonNullable<Interaction['result']>,
): Promise<void> {
  interaction.result = result
  await interaction.persist()
  await makeChanges(context.protocol)
  redirect(response, interaction.returnTo)
}

/**
 * Destroys the session of another user, or of an operator who acts for a user, in this browser.
 * oidc-provider would make the browser run a script instead.
 *
 * @param user - The user who has logged in. `undefined` for an operator's login: every session is
 *   destroyed.
 */
async function endOtherSession(flow: InteractionRequest, user?: User): Promise<void> {
  const { context, provider, interaction, request, response } = flow
  const session = await readSession(provider, request, response)
  if (!session.accountId || (session.accountId === user?.id && !session.acting)) return

  const { accountId } = session
  await endSession(context, provider, session)
  const { tenant } = flow
  if (session.acting)
    await noteActingLogout({ context, tenant, provider }, session, scopeOf(flow).actor)
  else await note(scopeOf(flow, accountId), 'logout.succeeded', accountId)
  delete interaction.session
  await interaction.persist()
}
