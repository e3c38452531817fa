import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/**
 * Writes the application as one module, and the configuration of workerd that serves it, into a folder.
 *
 * @param variables - The environment of the worker.
 * @returns The file of the configuration.
 */
export async function writeWorker(
  folder: string,
  port: number,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'worker.ts'),
    platform: 'node',
    resolve: { conditionNames: ['latchkey-source', 'workerd', 'import'] },
    external: [/^node:/],
  })
  await bundle.write({ file: join(folder, 'worker.js'), format: 'esm', codeSplitting: false })
  await bundle.close()

  const bindings = Object.entries(variables).map(
    ([name, value]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(value)})`,
  )
  const file = join(folder, 'worker.capnp')
  await writeFile(
    file,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "application", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-01-01",
      compatibilityFlags = ["nodejs_compat"],
      bindings = [${bindings.join(', ')}],
    )),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "application")],
);
`,
  )
  return file
}
