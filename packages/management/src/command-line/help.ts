import type { Command } from 'commander'

/** The commands in the help, without groups: a group has no work of its own. */
export function leaves({ commands }: Command): Command[] {
  return commands.flatMap((one) => (one.commands.length > 0 ? leaves(one) : [one]))
}

/** The full name of such a command, with its groups and arguments. */
export function subcommandTerm(command: Command): string {
  const names = [command.name()]
  for (let { parent } = command; parent?.parent; parent = parent.parent)
    names.unshift(parent.name())
  return [...names, ...command.registeredArguments.map((one) => `<${one.name()}>`)].join(' ')
}
