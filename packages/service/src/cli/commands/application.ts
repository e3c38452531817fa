import {
  type JsonOptions,
  printResult,
  wholeNumber,
  withJson,
} from '@latchkey/management/command-line'
import type { Command } from 'commander'
import { type DataOptions, withAdmin, withDataOptions } from '../options.ts'

interface RotateOptions extends DataOptions, JsonOptions {
  tenant: string
  overlapHours: number
}

/** Adds `application rotate-secret`. */
export function addApplicationCommands(program: Command): void {
  const application = program.command('application').description('Rotate client secrets.')

  withDataOptions(withJson(application.command('rotate-secret <id>')))
    .description('Give an application a new client secret; prints it.')
    .requiredOption('--tenant <id>', 'the tenant of the application')
    .option(
      '--overlap-hours <number>',
      'how long the earlier secret is accepted too; 0 if it may have leaked',
      wholeNumber(0, 8_760),
      24,
    )
    .action((id: string, { tenant, overlapHours, ...options }: RotateOptions) =>
      withAdmin(options, async (admin) => {
        const rotation = { overlapSeconds: overlapHours * 3_600 }
        const secret = await admin.rotateApplicationSecret(tenant, id, rotation)
        printResult({ id, secret }, options, secret)
      }),
    )
}
