import { Argument, type Command } from 'commander'

/** Adds `completion`, which prints a shell's completion script for the commands and options. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print a script that makes the shell complete the command.')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', help)
    .action((shell: 'bash' | 'zsh' | 'fish') => {
      const commands = describe(program, [])
      console.log(shell === 'fish' ? fish(commands) : bash(commands, shell === 'zsh'))
    })
}

const help = `
Examples:
  bash: latchkey completion bash > ~/.local/share/bash-completion/completions/latchkey
  zsh:  latchkey completion zsh > ~/.latchkey-completion, and in ~/.zshrc, after compinit:
        source ~/.latchkey-completion
  fish: latchkey completion fish > ~/.config/fish/completions/latchkey.fish`

/** A command and the words that may follow it. If no word matches, the shell suggests files. */
interface Described {
  path: string[]
  /** The subcommands, or the possible values of the first argument. */
  names: string[]
  /** Whether the command takes an argument whose values cannot be listed. */
  hasArguments: boolean
  options: {
    name: string
    short: string | undefined
    takesValue: boolean
    choices: readonly string[]
  }[]
}

function describe(command: Command, path: string[]): Described[] {
  const known = command.options.map(({ long, short, required, argChoices }) => ({
    name: long ?? '',
    short,
    takesValue: required,
    choices: argChoices ?? [],
  }))
  const [argument] = command.registeredArguments
  const names = argument?.argChoices ?? command.commands.map((inner) => inner.name())
  return [
    {
      path,
      names: [...names],
      hasArguments: argument !== undefined && names.length === 0,
      options: [...known, { name: '--help', short: '-h', takesValue: false, choices: [] }],
    },
    ...command.commands.flatMap((inner) => describe(inner, [...path, inner.name()])),
  ]
}

function bash(commands: Described[], isZsh: boolean): string {
  const paths = commands
    .filter(({ path }) => path.length > 0)
    .map(({ path }) => `"${path.join(' ')}"`)
  return `${isZsh ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_latchkey() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" next n
  for ((n = 1; n < COMP_CWORD; n++)); do
    next="\${path:+$path }\${COMP_WORDS[n]}"
    case "$next" in
      ${paths.join('|')}) path="$next" ;;
      *) break ;;
    esac
  done
  local names="" options="" choices=""
  case "$path" in
${commands.map(bashCase).join('\n')}
  esac
  if [[ -n "$choices" ]]; then names="$choices"
  elif [[ "$word" == -* ]]; then names="$options"
  elif [[ "$previous" == --* && " $options " == *" $previous "* ]]; then names=""
  fi
  COMPREPLY=($(compgen -W "$names" -- "$word"))
}
complete -o default -F _latchkey latchkey`
}

function bashCase({ path, names, hasArguments, options }: Described): string {
  const all = options.map(({ name }) => name).join(' ')
  const chosen = options.filter(({ choices }) => choices.length > 0)
  const cases = chosen.map(
    ({ name, short, choices }) =>
      `${short ? `${short}|` : ''}${name}) choices="${choices.join(' ')}" ;;`,
  )
  const first = names.length > 0 || hasArguments ? names.join(' ') : all
  const inner = cases.length > 0 ? `; case "$previous" in ${cases.join(' ')} esac` : ''
  return `    "${path.join(' ')}") names="${first}"; options="${all}"${inner} ;;`
}

function fish(commands: Described[]): string {
  const lines = commands.flatMap(({ path, names, options }) => {
    const seen = path.map((name) => `__fish_seen_subcommand_from ${name}`)
    const further = names.length > 0 ? [`not __fish_seen_subcommand_from ${names.join(' ')}`] : []
    const condition = [...seen, ...further].join('; and ')
    const begin = `complete -c latchkey -n '${condition}'`
    return [
      ...(names.length > 0 ? [`${begin} -f -a '${names.join(' ')}'`] : []),
      ...options.map(({ name, takesValue, choices }) => {
        const value = choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : ' -r'
        return `${begin} -l ${name.slice(2)}${takesValue ? value : ''}`
      }),
    ]
  })
  return lines.join('\n')
}
