import { people, runExample } from '@latchkey/example-shared'
import { rolldown } from 'rolldown'

// Node strips types and knows no decorators yet: this builds the application, as `nest build` does.
const built = new URL('../dist/app.js', import.meta.url)
const bundle = await rolldown({
  input: new URL('app.ts', import.meta.url).pathname,
  external: /^@(nestjs|latchkey)\//,
})
await bundle.write({ file: built.pathname })
const { createApp } = (await import(built.href)) as typeof import('./app.ts')

await runExample({
  title: 'NestJS',
  users: people.slice(0, 1),
  createApp: async (options) => (await createApp(options)).getHttpServer(),
})
