import { Argument, type Command } from 'commander'

/** Adds `completion`, which prints what a shell needs to complete the commands and options. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print a script that makes the shell complete the command.')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      '\nExample:\n  latchkey completion bash > ~/.local/share/bash-completion/completions/latchkey',
    )
    .action((shell: 'bash' | 'zsh' | 'fish') => {
      console.log(shell === 'fish' ? fish(program) : bash(program, shell === 'zsh'))
    })
}

/** The words that may follow each path of commands. */
function words(command: Command, path: string): [path: string, words: string[]][] {
  const options = [...command.options.map(({ long }) => long ?? ''), '--help'].filter(Boolean)
  const names = command.commands.map((inner) => inner.name())
  return [
    [path, [...names, ...options]],
    ...command.commands.flatMap((inner) => words(inner, `${path} ${inner.name()}`.trim())),
  ]
}

function bash(program: Command, isZsh: boolean): string {
  const cases = words(program, '').map(
    ([path, known]) =>
      `    "${path}") COMPREPLY=($(compgen -W "${known.join(' ')}" -- "$word")) ;;`,
  )
  return `${isZsh ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_latchkey() {
  local word="\${COMP_WORDS[COMP_CWORD]}" path="" n
  for ((n = 1; n < COMP_CWORD; n++)); do
    [[ "\${COMP_WORDS[n]}" == -* ]] && break
    path="\${path:+$path }\${COMP_WORDS[n]}"
  done
  case "$path" in
${cases.join('\n')}
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o default -F _latchkey latchkey`
}

function fish(program: Command): string {
  const lines = words(program, '').flatMap(([path, known]) => {
    const seen = path.split(' ').filter(Boolean)
    const conditions = seen.map((name) => `__fish_seen_subcommand_from ${name}`)
    const condition = conditions.join('; and ') || '__fish_use_subcommand'
    return known.map((word) =>
      word.startsWith('--')
        ? `complete -c latchkey -n '${condition}' -l ${word.slice(2)}`
        : `complete -c latchkey -n '${condition}' -f -a ${word}`,
    )
  })
  return lines.join('\n')
}
