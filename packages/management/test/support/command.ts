import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIdentityService, type IdentityService } from '@latchkey/service'
import { commandEnv } from '../../../../test/support/command-env.ts'

const main = join(import.meta.dirname, '../../src/cli/main.ts')

/** How a run of the command ended. */
export interface Run {
  code: number | null
  stdout: string
  stderr: string
}

/** A service on a socket, its data on disk, and the command for it. */
export interface Installation extends AsyncDisposable {
  service: IdentityService
  url: string
  tenantId: string
  domain: string
  folder: string
  key: string
  /** Starts `latchkey` with nothing of our own environment but the service. */
  start(args: string[], env?: Record<string, string>): ChildProcess
  /** Runs `latchkey` to its end. */
  run(args: string[], input?: string, env?: Record<string, string>): Promise<Run>
}

export async function startInstallation(requestsPerSecond = 1_000_000): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-management-'))
  const service = await createIdentityService({
    data: join(folder, 'data'),
    requestsPerSecond,
    allowHttpOnLoopback: true,
  })
  const { port } = await service.listen()
  const domain = `acme.localhost:${port}`
  const tenant = await service.admin.createTenant({
    domain,
    settings: { allowUnverified: true },
  })
  const { secret } = await service.admin.createApiKey({ name: 'tests', reach: [tenant.id] })
  const url = `http://127.0.0.1:${port}`

  const start: Installation['start'] = (args, env = {}) =>
    spawn(process.execPath, ['--conditions=latchkey-source', main, ...args], {
      cwd: folder,
      env: {
        ...commandEnv,
        LATCHKEY_URL: url,
        LATCHKEY_API_KEY: secret,
        ...env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  return {
    service,
    url,
    tenantId: tenant.id,
    domain,
    folder,
    key: secret,
    start,
    async run(args, input = '', env = {}) {
      const child = start(args, env)
      const run: Run = { code: null, stdout: '', stderr: '' }
      child.stdout?.on('data', (chunk) => {
        run.stdout += chunk
      })
      child.stderr?.on('data', (chunk) => {
        run.stderr += chunk
      })
      child.stdin?.end(input)
      run.code = await new Promise((resolve) => child.once('close', resolve))
      return run
    },
    async [Symbol.asyncDispose]() {
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
