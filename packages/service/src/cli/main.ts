#!/usr/bin/env node
import { engineFault } from './engine.ts'

// Before everything else is loaded: an older Node fails at the first import, with a stack trace.
const fault = engineFault()
if (fault === undefined) {
  const { createProgram } = await import('./program.ts')
  process.exitCode = await createProgram().run(process.argv.slice(2))
} else {
  console.error(fault)
  process.exitCode = 1
}
