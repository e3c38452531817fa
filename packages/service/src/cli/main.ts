#!/usr/bin/env node
import { createProgram } from './program.ts'

process.exitCode = await createProgram().run(process.argv.slice(2))
