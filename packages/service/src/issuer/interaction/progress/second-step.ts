import { readFactors } from '../../../domain/factors/factors.ts'
import {
  SECOND_STEP_KEY,
  type SecondStepRule,
  secondStepRule,
} from '../../../domain/tenants/second-step-rule.ts'
import { lookUpUser } from '../../../domain/users/users.ts'
import { levelOfAcr } from '../../../domain/ways/assurance.ts'
import type { Tenant, User } from '../../../store/records.ts'
import type { IssuerContext } from '../../context.ts'
import type { FlowRequest, InteractionRequest } from '../flow/flow-request.ts'
import { isTrusted } from './known-device.ts'

/** The policy's reason for a second step; see `provider/policy.ts`. */
export const SECOND_STEP_DUE = 'second_step_due'

/**
 * The second-step rule for this login: that of the tenant or of the application, depending on which
 * applies earlier.
 */
export async function ruleOf(flow: InteractionRequest): Promise<SecondStepRule | undefined> {
  const { context, tenant, interaction } = flow
  const { client_id: clientId } = interaction.params
  const application =
    typeof clientId === 'string' ? await context.directory.client(tenant.id, clientId) : undefined
  const { [SECOND_STEP_KEY]: ofTenant } = tenant.metadata
  return secondStepRule(context.domain, ofTenant, application?.[SECOND_STEP_KEY])
}

/** The facts about a finished login that decide whether it needs a second step. */
interface EndedLogin {
  context: IssuerContext
  tenant: Tenant
  user: Pick<User, 'id'>
  /** The `acr` that the login has reached. */
  acr: string | undefined
  /** The value of {@link SECOND_STEP_KEY} in the metadata of the application. */
  ofApplication?: unknown
}

/**
 * Whether a login with one step lacks a second step that is required by now. A trusted device
 * counts as a second step.
 *
 * @param request - The request of the browser. `undefined` for tokens, which are not bound to a
 *   device: only a user without a second factor lacks the step.
 */
export async function lacksSecondStep(
  { context, tenant, user, acr, ofApplication }: EndedLogin,
  request: FlowRequest['request'] | undefined,
): Promise<boolean> {
  const rule = secondStepRule(context.domain, tenant.metadata[SECOND_STEP_KEY], ofApplication)
  if (!rule?.isDue || levelOfAcr(acr ?? '') !== undefined) return false
  const factors = await readFactors(context.domain, tenant.id, tenant.settings, user.id)
  if (factors.usable.length === 0) return true
  if (request === undefined) return false
  const account = await lookUpUser(context.domain, tenant.id, user.id)
  return account === undefined || !(await isTrusted({ context, tenant, request }, account, factors))
}
