#!/usr/bin/env node
import { runMain } from '@latchkey/management/command-line/main'
import { oldestNode } from '../version.ts'

await runMain({ name: 'latchkey-service', oldestNode, load: () => import('./program.ts') })
