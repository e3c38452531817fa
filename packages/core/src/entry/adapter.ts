export { asGuard, checkGuard } from '../guard/as-guard.ts'
export { type GuardArguments, mustBeCalled, requirementOf } from '../guard/requirement.ts'
export { titleOf } from '../http/error-response.ts'
export { createVisits, type Visits } from '../visit/visits.ts'
