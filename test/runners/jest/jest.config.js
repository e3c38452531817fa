import { fileURLToPath } from 'node:url'

export default {
  rootDir: fileURLToPath(new URL('../../..', import.meta.url)),
  roots: ['<rootDir>/test/runners/jest'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/runners/jest/strip-types.js' },
  testEnvironmentOptions: { customExportConditions: ['latchkey-source', 'node', 'node-addons'] },
}
