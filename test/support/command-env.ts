/**
 * What a command needs that runs from its sources, and nothing that could be an option of it: where programs are, and where
 * its compiled code is kept, without which it starts in twice the time.
 */
export const commandEnv = {
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
}
