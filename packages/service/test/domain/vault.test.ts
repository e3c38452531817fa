import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createVault, fixedKeys } from '../../src/domain/writes/vault.ts'

test('a sealed value opens for its own purpose', () => {
  const key = randomBytes(32)

  for (const text of ['', 'secret', 'Zoë 用户 😀', 'x'.repeat(10_000)]) {
    const sealed = createVault(key).seal('application:1', text)
    expect(createVault(key).open('application:1', sealed)).toBe(text)
  }
})

test('a sealed value contains nothing of the text, and differs each time', () => {
  const vault = createVault(randomBytes(32))

  const sealed = [vault.seal('a', 'secret'), vault.seal('a', 'secret')]

  expect(sealed[0]).not.toBe(sealed[1])
  expect(sealed[0]).toMatch(/^v1\.[\w-]+=[\w-]{8}$/)
  expect(Buffer.from((sealed[0] as string).slice(3), 'base64url').toString('latin1')).not.toContain(
    'secret',
  )
})

test('a sealed value does not open for another purpose', () => {
  const vault = createVault(randomBytes(32))
  const sealed = vault.seal('application:1', 'secret')

  expect(() => vault.open('application:2', sealed)).toThrow()
  expect(() => vault.open('', sealed)).toThrow()
})

test('a sealed value does not open under another master key', () => {
  const sealed = createVault(randomBytes(32)).seal('a', 'secret')

  expect(() => createVault(randomBytes(32)).open('a', sealed)).toThrow()
})

test('a sealed value that was changed, cut or lengthened does not open', () => {
  const vault = createVault(randomBytes(32))
  const sealed = vault.seal('a', 'secret')
  const bytes = Buffer.from(sealed.slice(3), 'base64url')

  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(bytes.readUInt8(i) ^ 1, i)
    expect(() => vault.open('a', `v1.${changed.toString('base64url')}`)).toThrow()
    const cut = bytes.subarray(0, i).toString('base64url')
    expect(() => vault.open('a', `v1.${cut}`)).toThrow()
  }
  const longer = Buffer.concat([bytes, Buffer.alloc(1)]).toString('base64url')
  expect(() => vault.open('a', `v1.${longer}`)).toThrow()
  expect(() => vault.open('a', sealed.replace('v1.', 'v2.'))).toThrow()
  expect(() => vault.open('a', '')).toThrow()
})

test('the newest of several master keys seals, and all of them open', () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)]
  const earlier = createVault(older).seal('a', 'secret')
  const vault = createVault(fixedKeys([newer, older]))

  expect(vault.open('a', earlier)).toBe('secret')
  const sealed = vault.seal('a', 'secret')
  expect(createVault(newer).open('a', sealed)).toBe('secret')
  expect(vault.reseal('a', sealed)).toBeUndefined()
  expect(createVault(newer).open('a', vault.reseal('a', earlier) ?? '')).toBe('secret')
  expect(() => vault.reseal('b', earlier)).toThrow()
})

test('a value that another process sealed under a newer key opens after the keys were read again', () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)]
  let keys = [older]
  const refresh = () => {
    const isChanged = keys.length === 1
    keys = [newer, older]
    return isChanged
  }
  const vault = createVault({ list: () => keys, refresh })

  expect(vault.open('a', createVault(newer).seal('a', 'secret'))).toBe('secret')
  expect(() => vault.open('a', createVault(randomBytes(32)).seal('a', 'secret'))).toThrow()
})

test('a sealed value names its key, and the first unknown key of several values is reported', () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)]
  const vault = createVault(fixedKeys([newer, older]))
  const [own, earlier] = [vault.newestId(), createVault(older).newestId()]
  const other = createVault(randomBytes(32)).newestId()

  expect(vault.seal('a', 'secret')).toMatch(new RegExp(`=${own}$`))
  expect(vault.firstUnknown([own, earlier])).toBeUndefined()
  expect(vault.firstUnknown([earlier, other])).toBe(other)
  expect(() => createVault(older).open('a', vault.seal('a', 'x'))).toThrow(own)
})

test('a value that release 0.2 sealed, without the name of a key, is opened and sealed again', () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)]
  const [unnamed = ''] = createVault(older).seal('a', 'secret').split('=')
  const vault = createVault(fixedKeys([newer, older]))

  expect(vault.open('a', unnamed)).toBe('secret')
  expect(vault.open('a', vault.reseal('a', unnamed) ?? '')).toBe('secret')
})

test('a master key has exactly 32 bytes', () => {
  for (const bytes of [0, 16, 31, 33, 64]) {
    expect(() => createVault(new Uint8Array(bytes))).toThrow(/32/)
  }
})
