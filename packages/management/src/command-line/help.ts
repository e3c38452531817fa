import type { Command } from 'commander'

/** The commands that help shows: all at once, as those of a group have little to say by themselves. */
export function leaves({ commands }: Command): Command[] {
  return commands.flatMap((one) => (one.commands.length > 0 ? leaves(one) : [one]))
}

/** The name of such a command, with those of its groups and of its arguments. */
export function subcommandTerm(command: Command): string {
  const names = [command.name()]
  for (let { parent } = command; parent?.parent; parent = parent.parent)
    names.unshift(parent.name())
  return [...names, ...command.registeredArguments.map((one) => `<${one.name()}>`)].join(' ')
}
