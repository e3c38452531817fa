export { createManagementClient, type ManagementClient } from './client.ts'
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  type ConnectionErrorCode,
  InvalidRequestError,
  LatchkeyError,
  NotFoundError,
  OptionsError,
  RateLimitError,
  type Refusal,
  ResponseError,
  ServerError,
} from './errors.ts'
export type { ListOptions, Page } from './list.ts'
export type { Fetch, FetchInit, FetchResponse, ManagementClientOptions } from './options.ts'
export type { Applications } from './resources/applications.ts'
export type { CreateOptions } from './resources/create.ts'
export type { Credentials } from './resources/credentials.ts'
export type { Change, Deletable, Readable } from './resources/resource.ts'
export type { Tenants } from './resources/tenants.ts'
export type { Users } from './resources/users.ts'
export type {
  ApiObject,
  Application,
  ApplicationInput,
  Credential,
  CredentialInput,
  ImportAlgorithm,
  ImportResult,
  Metadata,
  Profile,
  Tenant,
  TenantSettings,
  User,
  UserImport,
  UserInput,
} from './types.ts'
