import { defineConfig } from 'vitest/config'

export default defineConfig({
  ssr: { resolve: { conditions: ['latchkey-source', 'node'] } },
  test: { include: ['*.test.ts'], execArgv: ['--conditions=latchkey-source'] },
})
