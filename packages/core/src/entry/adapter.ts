export type { Persona, PersonaApplication, Personas } from '../development/personas.ts'
export { asGuard, checkGuard } from '../guard/as-guard.ts'
export { type GuardArguments, requirementOf } from '../guard/requirement.ts'
export { createVisits, type Visits } from '../visit/visits.ts'
