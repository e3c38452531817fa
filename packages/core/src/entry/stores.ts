export { isTouchDue } from '../session/session-record.ts'
export { afterLoopTime } from '../shared/deadline.ts'
export { freeze, remember } from '../shared/records.ts'
export { createByteSealer, deriveKey, macOf } from '../shared/sealing.ts'
