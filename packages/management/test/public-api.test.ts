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
