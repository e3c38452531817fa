export { createByteSealer, deriveKey, macOf } from './crypto/sealing.ts'
export { isTouchDue } from './session/session-record.ts'
