#!/usr/bin/env node
import { runMain } from '../command-line/main.ts'
import { oldestNode } from '../version.ts'

await runMain({ name: 'latchkey', oldestNode, load: () => import('./program.ts') })
