import {
  type JsonOptions,
  oneLine,
  printResult,
  printTable,
  withJson,
} from '@latchkey/management/command-line'
import type { Command } from 'commander'
import { type DataOptions, withAdmin, withDataOptions } from '../options.ts'

interface ConfirmOptions extends DataOptions, JsonOptions {
  all: boolean
}

/** Adds `confirm`. */
export function addConfirmCommand(program: Command): void {
  withDataOptions(withJson(program.command('confirm [ids...]')))
    .description(
      'Use API keys, operators and endpoints of a restored backup again; without ids: list those that wait.',
    )
    .option('--all', 'confirm all of them', false)
    .action((ids: string[], options: ConfirmOptions) =>
      withAdmin(options, async (admin) => {
        const waiting = (await admin.listUnconfirmed()).map((one) => ({ ...one }))
        if (ids.length === 0 && !options.all) {
          if (waiting.length === 0) printResult([], options, 'Nothing waits to be confirmed.')
          else printTable(waiting, options)
          return
        }
        const confirmed: Record<string, string>[] = []
        for (const id of options.all ? waiting.map((one) => one.id) : ids) {
          confirmed.push({ ...(await admin.confirm(id)) })
        }
        const lines = confirmed.map(
          ({ kind, id, name = '' }) => `Confirmed the ${kind} ${id} (${oneLine(name)}).`,
        )
        printResult(confirmed, options, lines.join('\n') || 'Nothing waits to be confirmed.')
      }),
    )
}
