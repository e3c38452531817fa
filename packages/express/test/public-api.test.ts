import * as core from '@latchkey/core'
import * as adapter from '@latchkey/core/adapter'
import * as application from '@latchkey/core/application'
import * as node from '@latchkey/core/node'
import * as web from '@latchkey/core/web'
import * as express from '@latchkey/express'
import { expect, test } from 'vitest'

test('the public API is what this list says, and changes on purpose alone', () => {
  expect(Object.keys(express).sort()).toEqual([
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
    'answerErrors',
    'appleClientSecret',
    'createAuthRouter',
    'createMemoryStore',
    'fromExpressStore',
    'getAuth',
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
    'createAuth',
    'createMemoryStore',
    'isApiRequest',
    'redirectUriFor',
    'safeReturnTo',
  ])
  expect(Object.keys(core)).toEqual(expect.arrayContaining(Object.keys(application)))
  expect(Object.keys(express)).toEqual(expect.arrayContaining(Object.keys(application)))
  expect(Object.keys(adapter).sort()).toEqual(['asGuard', 'createVisits', 'requirementOf'])
  expect(Object.keys(node).sort()).toEqual([
    'createNodeTransport',
    'nodePlatform',
    'serveNode',
    'toAuthRequest',
    'toResponsePort',
  ])
  expect(Object.keys(web).sort()).toEqual(['WebResponse', 'toAuthRequest'])
})
