/** Parts of imports and exports that the service shares; applications have no use for them. */
export { escapeFormula } from './formula.ts'
