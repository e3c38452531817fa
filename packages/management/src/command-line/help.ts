import type { Command } from 'commander'

/** The commands that the help lists. Groups are left out, because a group does nothing itself. */
export function leaves({ commands }: Command): Command[] {
  return commands.flatMap((one) => (one.commands.length > 0 ? leaves(one) : [one]))
}

/** The full name of a command in the help: its groups, its name and its arguments. */
export function subcommandTerm(command: Command): string {
  const names = [command.name()]
  for (let { parent } = command; parent?.parent; parent = parent.parent)
    names.unshift(parent.name())
  return [...names, ...command.registeredArguments.map((one) => `<${one.name()}>`)].join(' ')
}
