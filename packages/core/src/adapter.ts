export { asGuard, checkGuard } from './guard/as-guard.ts'
export { requirementOf } from './guard/requirement.ts'
export { createVisits, type Visits } from './visits.ts'
