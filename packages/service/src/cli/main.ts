#!/usr/bin/env node
import { runMain } from '@latchkey/management/command-line/main'
import { oldestNode } from '../version.ts'
import { endAtSignals } from './signals.ts'

endAtSignals()
await runMain({ name: 'latchkey-service', oldestNode, load: () => import('./program.ts') })
