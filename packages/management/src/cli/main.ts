#!/usr/bin/env node
import { engineFault } from './engine.ts'

// Others on this machine see the name of a process, which is its arguments: a key or a password, perhaps.
const args = process.argv.slice(2)
process.title = 'latchkey'

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

// Before everything else is loaded: an older Node fails at the first import, with a stack trace.
const fault = engineFault()
if (fault === undefined) {
  const { createProgram } = await import('./program.ts')
  process.exitCode = await createProgram().run(args)
} else {
  console.error(fault)
  process.exitCode = 1
}
