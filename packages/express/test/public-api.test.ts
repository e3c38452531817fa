import * as core from '@latchkey/core'
import * as node from '@latchkey/core/node'
import * as express from '@latchkey/express'
import { expect, test } from 'vitest'

test('the public API is what this list says, and changes on purpose alone', () => {
  expect(Object.keys(express).sort()).toEqual([
    'AccessError',
    'CallbackError',
    'ConfigError',
    'DeniedError',
    'LatchkeyError',
    'ProviderError',
    'RefreshError',
    'appleClientSecret',
    'createAuthRouter',
    'getUser',
    'isApiRequest',
    'redirectUriFor',
    'requireUser',
  ])
  expect(Object.keys(core).sort()).toEqual([
    'AccessError',
    'CallbackError',
    'ConfigError',
    'DeniedError',
    'LatchkeyError',
    'LogoutError',
    'ProviderError',
    'RefreshError',
    'RequestError',
    'SessionEndedError',
    'SessionStoreError',
    'appleClientSecret',
    'checkRequirement',
    'createAuth',
    'createMemoryStore',
    'isApiRequest',
    'redirectUriFor',
    'safeReturnTo',
  ])
  expect(Object.keys(node).sort()).toEqual([
    'createNodeFetch',
    'createNodeTransport',
    'isPublicAddress',
    'markPrivate',
    'nodePlatform',
    'toAuthRequest',
    'writeResponse',
  ])
})
