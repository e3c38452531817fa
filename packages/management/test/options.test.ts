import { createManagementClient, type ManagementClientOptions } from '@latchkey/management'
import { expect, test } from 'vitest'

const good = { baseUrl: 'https://api.example.com', apiKey: 'key' }

test.each<[object, string]>([
  [{ baseURL: 'https://api.example.com' }, '"baseURL" is not an option. Did you mean "baseUrl"?'],
  [{ timeoutSecond: 1 }, 'Did you mean "timeoutSeconds"?'],
  [{ quantumSafe: true }, '"quantumSafe" is not an option.'],
  [{ fetch: {} }, '"fetch" must be a function.'],
  [{ baseUrl: 5 }, '"baseUrl" must be a string.'],
  [{ retries: '5' }, '"retries" must be a number'],
])('an option that a client does not know or cannot use is refused: %o', (options, line) => {
  expect(() => createManagementClient({ ...good, ...options })).toThrow(line)
})

test('everything wrong with the options of a client is in one report', () => {
  const options = { apikey: 'hush', timeoutSeconds: -1 } as unknown as ManagementClientOptions
  let message = ''
  try {
    createManagementClient(options)
  } catch (error) {
    message = (error as Error).message
  }

  expect(message).toMatch(/"apikey"[\s\S]*"baseUrl"[\s\S]*"apiKey"[\s\S]*"timeoutSeconds"/)
  expect(message).not.toContain('hush')
})
