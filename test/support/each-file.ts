import { afterAll } from 'vitest'
import { endFile } from './file-end.ts'

// Vitest runs this before each file, also before those that share the modules of a worker.
afterAll(endFile)
