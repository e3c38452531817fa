import { SYSTEM_TENANT_ID } from '../../../store/system-tenant.ts'
import type { Form } from '../../requests/http.ts'
import { csrfToken, flowPath } from '../flow/flow-path.ts'
import { type InteractionRequest, languageOf, show } from '../flow/flow-request.ts'
import {
  completeFurtherStep,
  enrollableFactors,
  isEnrolling,
  isStepRequired,
  noteProof,
  pendingRule,
  readStep,
  type Step,
} from '../progress/login-progress.ts'
import { type Place, showEnrolment, submitEnrolment } from './enrolment.ts'

/**
 * Offers to add a factor that the application or the tenant asks for. Continues if no factor is
 * missing.
 */
export async function showEnrol(flow: InteractionRequest): Promise<void> {
  const step = await readStep(flow)
  if (!step) return
  if (!(await isEnrolling(flow, step))) return completeFurtherStep(flow, step, {})
  await showEnrolment(flow, await placeOf(flow, step))
}

/** Adds a factor, or continues without it if the user may skip it. */
export async function submitEnrol(flow: InteractionRequest, form: Form): Promise<void> {
  const step = await readStep(flow)
  if (!step) return
  const isSkipped = form.get('step') === 'skip' && !(await isStepRequired(flow, step))
  if (isSkipped) return completeFurtherStep(flow, step, { declined: true })
  if (!(await isEnrolling(flow, step))) return completeFurtherStep(flow, step, {})

  const enrolled = await submitEnrolment(flow, await placeOf(flow, step), form)
  if (!enrolled) return
  const { method, codes, keptAt = step.progress.keptAt } = enrolled
  if (!codes) return completeFurtherStep(flow, step, { method, keptAt })
  await noteProof(flow, step, method, keptAt)
  const { interaction } = flow
  const action = flowPath(interaction, '/enrol')
  show(flow, 200, 'recoveryCodes', { csrf: csrfToken(interaction.uid), codes, action })
}

async function wayOutOf(flow: InteractionRequest, step: Step): Promise<Place['wayOut']> {
  if (flow.tenant.id === SYSTEM_TENANT_ID) return { kind: 'none' }
  const rule = await pendingRule(flow, step)
  if (!rule) return { kind: 'skip' }
  if (rule.isDue) return { kind: 'due' }
  const format = new Intl.DateTimeFormat(languageOf(flow), { dateStyle: 'long', timeZone: 'UTC' })
  return { kind: 'later', day: format.format(new Date(rule.from)) }
}

async function placeOf(flow: InteractionRequest, step: Step): Promise<Place> {
  const { interaction } = flow
  return {
    user: step.user,
    key: interaction.uid,
    csrf: csrfToken(interaction.uid),
    path: flowPath(interaction, '/enrol'),
    kinds: await enrollableFactors(flow, step),
    wayOut: await wayOutOf(flow, step),
    login: step.progress,
  }
}
