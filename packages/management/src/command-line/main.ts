import type { CommandLine } from './command-line.ts'

/**
 * A command and the function that loads its module. The module is loaded only if this version of
 * Node can run it.
 */
export interface Main {
  name: string
  /** The oldest version of Node that can run the command, such as `22.19`. */
  oldestNode: string
  load(): Promise<{ createProgram(): CommandLine }>
}

/** Runs a command with the arguments of this process, and sets its exit code. */
export async function runMain({ name, oldestNode, load }: Main): Promise<void> {
  // By default, a process's title has its arguments, which may contain a key or a password. Other
  // users of this machine can see the title.
  const args = process.argv.slice(2)
  process.title = name

  // It is not an error if the reader of a pipe stops early, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })

  // This check comes before `load`, because an older Node fails at the first import, with a stack
  // trace.
  if (isOlder(process.versions.node, oldestNode)) {
    console.error(
      `${name} needs Node.js ${oldestNode} or newer, and this is ${process.versions.node}.`,
    )
    process.exitCode = 1
    return
  }
  const { createProgram } = await load()
  process.exitCode = await createProgram().run(args)
}

function isOlder(found: string, oldest: string): boolean {
  const [major = 0, minor = 0] = found.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number)
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}
