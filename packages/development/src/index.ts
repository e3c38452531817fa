export { createDevelopment } from './create-development.ts'
export type { Persona, PersonaApplication, Personas } from './personas.ts'
export { providePersonas } from './provide-personas.ts'
