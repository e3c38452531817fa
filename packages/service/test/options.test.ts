import { createIdentityService } from '@latchkey/service'
import { expect, test } from 'vitest'

test.each<[unknown, string]>([
  [{ dataa: '/tmp' }, '"dataa" is not an option. Did you mean "data"?'],
  [{ masterkey: 'x' }, '"masterkey" is not an option. Did you mean "masterKey"?'],
  [{ quantumSafe: true }, '"quantumSafe" is not an option.'],
  [{ mail: { urll: 'x', from: 'a@b.test', url: 'smtp://a' } }, 'Did you mean "mail.url"?'],
  [{ mail: 'smtp://a' }, '"mail" must be an object.'],
  [{ passwords: { concurrency: 'two' } }, '"passwords.concurrency" must be a whole number'],
  [{ requestsPerSecond: 0 }, '"requestsPerSecond" must be more than 0.'],
  [{ allowHttpOnLoopback: 'true' }, '"allowHttpOnLoopback" must be true or false.'],
  [{ clock: {} }, '"clock" must have now().'],
  [{ logger: { info() {} } }, '"logger" must have debug(), info(), warn(), error().'],
  ['/tmp', '"options" must be an object.'],
])('an option that a service does not know or cannot use is refused: %o', async (options, line) => {
  await expect(createIdentityService(options as object)).rejects.toThrow(line)
})

test('everything wrong with the options of a service is in one report, without a value', async () => {
  const options = { masterkey: 'hush', mail: 'hush', data: 5 } as object

  const error: Error = await createIdentityService(options).catch((error) => error)

  expect(error.message.split('\n')).toHaveLength(4)
  expect(error.message).not.toContain('hush')
})

test('an option from an unset environment variable counts as not set', async () => {
  const options = { data: undefined, masterKey: undefined, mail: undefined }
  await using service = await createIdentityService(options)

  await expect(service.listen({ prot: 1 } as object)).rejects.toThrow('Did you mean "port"?')
})
