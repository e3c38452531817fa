import type { Sentence } from './texts/index.ts'

/** The forms that ask for a new login, by the path of their route. */
const names: Readonly<Record<string, Sentence>> = {
  '/console/keys/new': 'Make an API key',
  '/console/operators': 'Invite an operator',
  '/console/operators/:operator/invite': 'Invite an operator',
  '/console/operators/:operator/role': 'Change the role of an operator',
  '/console/operators/:operator/enable': 'Enable an operator',
  '/console/operators/:operator/disable': 'Disable an operator',
  '/console/operators/:operator/remove': 'Remove an operator',
  '/console/audit/export': 'Download the audit log',
  '/console/t/:tenant/settings/save': 'Change settings of a tenant',
  '/console/t/:tenant/texts/save': 'Change the texts of a tenant',
  '/console/t/:tenant/delete': 'Delete the tenant',
  '/console/t/:tenant/keys/new': 'Make an API key',
  '/console/t/:tenant/audit/export': 'Download the audit log',
  '/console/t/:tenant/webhooks/add': 'Add an endpoint',
  '/console/t/:tenant/webhooks/:webhook': 'Change an endpoint',
  '/console/t/:tenant/webhooks/:webhook/rotate': 'Make a new secret for an endpoint',
  '/console/t/:tenant/webhooks/:webhook/remove': 'Delete an endpoint',
  '/console/t/:tenant/applications/new': 'Register an application',
  '/console/t/:tenant/applications/:application': 'Change an application',
  '/console/t/:tenant/applications/:application/secret': 'Show the secret of an application',
  '/console/t/:tenant/applications/:application/rotate': 'Rotate the secret of an application',
  '/console/t/:tenant/applications/:application/delete': 'Delete an application',
  '/console/t/:tenant/connections/add/:recipe': 'Add a connection',
  '/console/t/:tenant/connections/:connection': 'Change a connection',
  '/console/t/:tenant/connections/:connection/secret': 'Replace the secret of a connection',
  '/console/t/:tenant/connections/:connection/enable': 'Enable a connection',
  '/console/t/:tenant/connections/:connection/remove': 'Remove a connection',
  '/console/t/:tenant/signing-keys/rotate': 'Rotate the signing key',
  '/console/t/:tenant/signing-keys/withdraw': 'Withdraw the earlier signing keys',
  '/console/t/:tenant/users/new': 'Add a user',
  '/console/t/:tenant/users/export': 'Download the users',
  '/console/t/:tenant/users/import/export': 'Download the refused rows',
  '/console/t/:tenant/users/import/begin': 'Import users',
  '/console/t/:tenant/users/import/conflicts': 'Download the conflicts of an update',
  '/console/t/:tenant/users/bulk': 'Act for many users',
  '/console/t/:tenant/jobs/undo': 'Undo a job',
  '/console/t/:tenant/users/:user/edit': 'Edit a user',
  '/console/t/:tenant/users/:user/edit/save': 'Edit a user',
  '/console/t/:tenant/users/:user/log-in-as': 'Log in as a user',
  '/console/t/:tenant/users/:user/log-in-as/begin': 'Log in as a user',
  '/console/t/:tenant/users/:user/export': 'Download the data of a user',
  '/console/t/:tenant/users/:user/verify': 'Mark the address of a user as verified',
  '/console/t/:tenant/users/:user/delete': 'Delete a user',
  '/console/t/:tenant/users/:user/ways/:credential/remove': 'Remove a way to log in',
}

/** The name of a form that is kept during a new login, by the path of its route. */
export function formName(routePath: string): Sentence | undefined {
  return names[routePath]
}
