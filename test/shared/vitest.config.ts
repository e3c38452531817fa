import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { include: ['test/shared/three-askers.ts'], execArgv: ['--conditions=latchkey-source'] },
})
