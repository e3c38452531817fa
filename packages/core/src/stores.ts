export { isTouchDue } from './session/session-record.ts'
