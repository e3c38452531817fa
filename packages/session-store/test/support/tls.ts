import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loopbackAuthority } from '../../../../test/support/certificate.ts'
import { redisPath } from '../../../../test/support/redis-server.ts'

/** Files for TLS on the loopback address, from an authority that nobody else trusts. */
export interface TlsFiles {
  readonly ca: string
  readonly caFile: string
  readonly certificateFile: string
  readonly keyFile: string
}

/** Writes them into a folder of their own. */
export async function tlsFiles(): Promise<TlsFiles> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-tls-'))
  const { ca, server } = await loopbackAuthority()
  const write = (name: string, text: string): string => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  }
  return {
    ca: ca.cert,
    caFile: write('ca.pem', ca.cert),
    certificateFile: write('certificate.pem', server.cert),
    keyFile: write('key.pem', server.key),
  }
}

/** Why TLS cannot be tested here, if so. */
export function tlsMissing(): string | undefined {
  try {
    // A port that is no number ends it at once, with a complaint about the number or the name.
    execFileSync(redisPath() ?? 'redis-server', ['--port', '0', '--tls-port', 'x'], {
      stdio: 'pipe',
    })
  } catch (error) {
    const complaint = String((error as { stdout: Buffer }).stdout)
    if (complaint.includes('Bad directive')) return 'this Redis was built without TLS'
  }
  return undefined
}
