import { expect, test } from 'vitest'
import { isLoopbackHost as isLoopbackOfCore } from '../packages/core/src/http/issuer-url.ts'
import { isPublicAddress as isPublicOfCore } from '../packages/core/src/node/address-guard.ts'
import { isLoopbackHost as isLoopbackOfService } from '../packages/service/src/domain/writes/addresses.ts'
import { isPublicAddress as isPublicOfService } from '../packages/service/src/egress/outgoing.ts'

test.each([
  ['8.8.8.8', true],
  ['2001:4860:4860::8888', true],
  ['10.0.0.1', false],
  ['127.0.0.1', false],
  ['169.254.169.254', false],
  ['100.64.0.1', false],
  ['0.0.0.0', false],
  ['::', false],
  ['::1', false],
  ['fc00::1', false],
  ['fe80::1', false],
  ['fe80::1%eth0', false],
  ['::ffff:8.8.8.8', false],
  ['::ffff:10.0.0.1', false],
  ['64:ff9b::808:808', false],
  ['8.8', false],
  ['134744072', false],
  ['0x8.8.8.8', false],
  ['example.com', false],
  ['', false],
])(
  'core and the service agree on whether %s is an address of the public internet',
  (address, is) => {
    expect({ core: isPublicOfCore(address), service: isPublicOfService(address) }).toEqual({
      core: is,
      service: is,
    })
  },
)

test.each([
  ['localhost', true],
  ['app.localhost', true],
  ['127.0.0.1', true],
  ['127.255.0.9', true],
  ['::1', true],
  ['[::1]', true],
  ['[::ffff:7f00:1]', true],
  ['[::ffff:7fff:ffff]', true],
  ['127.1', false],
  ['127.0.0.256', false],
  ['127.0.0.1.example.com', false],
  ['localhost.example.com', false],
  ['[::ffff:8000:1]', false],
  ['[::2]', false],
  ['10.0.0.1', false],
  ['', false],
])('core and the service agree on whether %s is this machine', (host, is) => {
  expect({ core: isLoopbackOfCore(host), service: isLoopbackOfService(host) }).toEqual({
    core: is,
    service: is,
  })
})
