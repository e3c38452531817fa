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
   * An instant before the user, and what proves who it is, were read; in seconds since the epoch. A
   * change that ended the user's sessions since then has ended this one as well.
   */
  loggedInAt: number
  /** The time at which the login survived such a change, because it made it. */
  keptAt?: number | undefined
  /** The time at which a provider asked its user, for a login there; 0 where it does not say. */
  provenAt?: number | undefined
  /** Whether the second step is not asked for on this device from now on. */
  trust?: boolean | undefined
}

/**
 * Logs the user in and lets the application's request go on. Only `login-progress.ts` calls it, once
 * every factor is proven.
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
      // A user who has just logged in has signed up, or has chosen the account.
      create: {},
      select_account: {},
    })
  })
}

/**
 * Logs an operator in as the user. It is not noted as a login of the user: nothing was proven by the user, and the
 * browser is not one of their devices.
 *
 * @param begunAt - In seconds since the epoch.
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
 * Tells the user of a login on a new device, unless the tenant does not want it. An address that was never proven may
 * be another person's.
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
 * @param result - By prompt, as oidc-provider reads it. It replaces the results of earlier steps.
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
 * When another user is logged in in this browser, their session ends here; oidc-provider would ask
 * the browser to run a script. So does that of an operator who acts for a user.
 *
 * @param user - The user who has logged in; `undefined`: an operator has, and every session ends.
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
