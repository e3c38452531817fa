import type { Command, HelpConfiguration } from 'commander'

/** Help that shows all commands at once: those of a group have little to say by themselves. */
export const helpOfAllCommands: HelpConfiguration = {
  visibleCommands: leaves,
  subcommandTerm(command: Command): string {
    const names = [command.name()]
    for (let { parent } = command; parent?.parent; parent = parent.parent)
      names.unshift(parent.name())
    return [...names, ...command.registeredArguments.map((one) => `<${one.name()}>`)].join(' ')
  },
}

function leaves({ commands }: Command): Command[] {
  return commands.flatMap((one) => (one.commands.length > 0 ? leaves(one) : [one]))
}
