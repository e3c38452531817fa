import { createApplication } from './application.ts'

/** Bun and Deno serve the default export of the main module, at the port of the environment. */
const { fetch } = createApplication()

export default { port: Number(process.env.PORT), hostname: '127.0.0.1', fetch }
