export { createByteSealer, deriveKey, macOf } from './crypto/sealing.ts'
export { freeze, remember } from './records.ts'
export { isTouchDue } from './session/session-record.ts'
