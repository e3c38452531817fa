import type { Permission } from '../domain/operators/roles.ts'

/**
 * The permission that an operator needs for an operation of the API, as in the console. With
 * `never`, only API keys can use the operation.
 */
export type Needed =
  | { readonly permission: Permission; readonly isDangerous: boolean }
  | { readonly permission: 'never' }

const open = (permission: Permission): Needed => ({ permission, isDangerous: false })
/** A permission that also requires a login within the last five minutes. */
const dangerous = (permission: Permission): Needed => ({ permission, isDangerous: true })
const never: Needed = { permission: 'never' }

/**
 * The permission for each operation, for an operator who has logged in with the command. `never`
 * marks operations for which only the console has the rules. Examples are a new email address,
 * which needs a second operator, and the hash of a password.
 */
export const neededFor: Readonly<Record<string, Needed>> = {
  listTenants: open('read'),
  getTenant: open('read'),
  updateTenant: dangerous('edit'),
  getTexts: open('read'),
  updateTexts: dangerous('edit'),
  getLogo: open('read'),
  updateLogo: dangerous('edit'),
  listApplications: open('read'),
  getApplication: open('read'),
  createApplication: dangerous('edit'),
  updateApplication: dangerous('edit'),
  deleteApplication: dangerous('edit'),
  listApplicationGrants: open('read'),
  listUsers: open('read'),
  searchUsers: open('read'),
  getUser: open('read'),
  exportUser: dangerous('export'),
  createUser: dangerous('edit'),
  updateUser: never,
  deleteUser: dangerous('edit'),
  importUsers: dangerous('edit'),
  previewImportedUsers: never,
  updateImportedUsers: never,
  listCredentials: never,
  getCredential: never,
  createCredential: never,
  updateCredential: never,
  deleteCredential: never,
  listSessions: open('read'),
  endSession: open('help'),
  endSessions: open('help'),
  getLoginTrouble: open('read'),
  letTryAgain: open('help'),
  listGrants: open('read'),
  withdrawGrant: open('help'),
  listPrograms: open('read'),
  getProgram: open('read'),
  listProgramGrants: open('read'),
  blockProgram: dangerous('edit'),
  unblockProgram: dangerous('edit'),
  sendMail: open('help'),
  resendMail: open('help'),
  listMails: open('read'),
  getMail: open('read'),
  listAudit: open('read'),
  getAuditEntry: open('read'),
  listWebhooks: open('read'),
  getWebhook: open('read'),
  createWebhook: dangerous('edit'),
  updateWebhook: dangerous('edit'),
  deleteWebhook: dangerous('edit'),
  rotateWebhookSecret: dangerous('secrets'),
  testWebhook: open('edit'),
  replayWebhook: open('edit'),
  listDeliveries: open('read'),
  resendDelivery: open('edit'),
  listEvents: open('read'),
}

/** The permission to read a whole list at once, as a file. */
export const neededForFiles: Needed = dangerous('export')
