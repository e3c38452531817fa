import { changeProfile, type OwnClaims } from '../../domain/users/accounts.ts'
import type { TextKey } from '../../pages/index.ts'
import { nameProblem } from '../interaction/first/signup.ts'
import { type FlowRequest, scopeOf, show } from '../interaction/flow/flow-request.ts'
import { type Form, redirect } from '../requests/http.ts'
import type { Visit } from './entry.ts'
import { overviewAfter } from './overview.ts'

const CLAIMS = ['name', 'given_name', 'family_name'] as const

/** Shows the names of the user. */
export function showProfile(flow: FlowRequest, visit: Visit): void {
  showForm(
    flow,
    visit,
    200,
    claimsFrom((claim) => visit.user.profile[claim]),
  )
}

/** Changes the names of the user. */
export async function saveProfile(flow: FlowRequest, visit: Visit, form: Form): Promise<void> {
  const claims = claimsFrom((claim) => form.get(claim)?.trim())
  for (const claim of CLAIMS) {
    const text = nameProblem(claims[claim])
    if (text) return showForm(flow, visit, 422, claims, { field: claim, text })
  }
  const { user } = visit
  const isSame = CLAIMS.every((claim) => claims[claim] === (user.profile[claim] ?? ''))
  if (!isSame) await changeProfile(scopeOf(flow, user.id), user.id, claims)
  redirect(flow.response, overviewAfter('profile'))
}

function claimsFrom(read: (claim: keyof OwnClaims) => string | undefined): OwnClaims {
  const [name = '', given_name = '', family_name = ''] = CLAIMS.map(read)
  return { name, given_name, family_name }
}

function showForm(
  flow: FlowRequest,
  { csrf }: Visit,
  status: number,
  claims: OwnClaims,
  problem?: { field: keyof OwnClaims; text: TextKey },
): void {
  show(flow, status, 'profile', { csrf, claims, problem })
}
