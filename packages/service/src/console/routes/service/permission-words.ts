import type { Permission } from '../../../domain/operators/roles.ts'
import type { Sentence } from '../../texts/index.ts'

/** The permissions in words, for the page of the operators and in the guide. */
export const permissionWords: Readonly<Record<Permission, Sentence>> = {
  read: 'Read; no secret is shown',
  export: 'Download users and the audit log',
  help: 'Help users: send links, end sessions, let them try again',
  edit: 'Change tenants and users',
  impersonate: 'Log in as a user, where the tenant allows it',
  secrets: 'Make, show and rotate secrets and API keys',
  operators: 'Invite, change, disable and remove operators',
}
