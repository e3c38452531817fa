import { afterAll, vi } from 'vitest'
import { endFile } from './file-end.ts'
import './waits.ts'

// Vitest runs this before each file, also before those that share the modules of a worker.
const environment = { ...process.env }

afterAll(async () => {
  try {
    await endFile()
  } finally {
    // The next file shares this process.
    vi.useRealTimers()
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
    for (const variable of Object.keys(process.env)) {
      if (environment[variable] === undefined) delete process.env[variable]
    }
    Object.assign(process.env, environment)
  }
})
