import * as testing from '@latchkey/testing'
import { expect, test } from 'vitest'

test('the package exports these names and no others', () => {
  expect(Object.keys(testing).sort()).toEqual([
    'TestingError',
    'assertGuarded',
    'logIn',
    'logInPage',
    'startIdentity',
  ])
})
