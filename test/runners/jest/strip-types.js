import { stripTypeScriptTypes } from 'node:module'

/** Takes the types out of sources, as Node does by itself and Jest does not. */
export default {
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
}
