#!/usr/bin/env node
import { runMain } from '@latchkey/management/command-line/main'
import { oldestNode } from './version.ts'

await runMain({ name: 'create-latchkey', oldestNode, load: () => import('./program.ts') })
