#!/usr/bin/env node
import { engineFault } from './engine.ts'

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

// Before everything else is loaded: an older Node fails at the first import, with a stack trace.
const fault = engineFault()
if (fault === undefined) {
  const { createProgram } = await import('./program.ts')
  process.exitCode = await createProgram().run(process.argv.slice(2))
} else {
  console.error(fault)
  process.exitCode = 1
}
