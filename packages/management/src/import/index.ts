/** Parts of imports and exports that the service uses, too. They are not meant for applications. */
export { type Checked, checkRecords } from './check.ts'
export { formatOf } from './detect.ts'
export { type Encoding, encodings } from './encoding.ts'
export { FileFault, OTHER_VALUES } from './file-fault.ts'
export { escapeFormula } from './formula.ts'
export { hashNames as algorithms } from './hashes.ts'
export { type FirebaseParameters, readFirebaseParameters } from './legacy.ts'
export { createMapping, targets } from './mapping.ts'
export { type ImportRow, type RowOptions, saysState, toRow } from './row.ts'
export {
  faultsInWords,
  type RowFault,
  type RowFaultName,
  rowFault,
  rowFaults,
} from './row-fault.ts'
export { toImport } from './run/in-bulk.ts'
export { type FileFormat, readSource, type SourceRecord } from './source.ts'
export { createStates, type StateFlag } from './states.ts'
