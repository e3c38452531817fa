import { readFileSync } from 'node:fs'
import * as management from '@latchkey/management'
import { expect, test } from 'vitest'

test('the public API is what this list says, and changes on purpose alone', () => {
  expect(Object.keys(management).sort()).toEqual([
    'ApiError',
    'AuthenticationError',
    'ConflictError',
    'ConnectionError',
    'InvalidRequestError',
    'LatchkeyError',
    'NotFoundError',
    'OptionsError',
    'RateLimitError',
    'ResponseError',
    'ServerError',
    'createManagementClient',
  ])
})

test('the types of the public API are what this list says', () => {
  const index = readFileSync(new URL('../src/index.ts', import.meta.url), 'utf8')
  const lists = [...index.matchAll(/export (type )?\{([^}]*)\}/g)]
  const types = lists.flatMap(([, isType, names = '']) => {
    const all = names.split(',').map((name) => name.trim())
    return isType
      ? all.filter(Boolean)
      : all.filter((name) => name.startsWith('type ')).map((name) => name.slice(5))
  })
  expect(types.sort()).toEqual([
    'ApiObject',
    'Application',
    'ApplicationInput',
    'Applications',
    'Change',
    'ConnectionErrorCode',
    'CreateOptions',
    'Credential',
    'CredentialInput',
    'Credentials',
    'Deletable',
    'Fetch',
    'FetchInit',
    'FetchResponse',
    'ImportAlgorithm',
    'ImportResult',
    'ListOptions',
    'ManagementClient',
    'ManagementClientOptions',
    'Metadata',
    'Page',
    'Profile',
    'Readable',
    'Refusal',
    'Tenant',
    'TenantSettings',
    'Tenants',
    'User',
    'UserImport',
    'UserInput',
    'Users',
  ])
})
