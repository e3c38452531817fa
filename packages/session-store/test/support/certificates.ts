import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { redisPath } from '../../../../test/support/redis-server.ts'

/** Files for TLS on the loopback address, from an authority that nobody else trusts. */
export interface Certificates {
  readonly ca: string
  readonly caFile: string
  readonly certificateFile: string
  readonly keyFile: string
}

/** Makes them with the `openssl` command. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-tls-'))
  const file = (name: string): string => join(folder, name)
  const openssl = (line: string): void => {
    execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'pipe' })
  }
  writeFileSync(file('names'), 'subjectAltName=IP:127.0.0.1\n')
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
  openssl(`req -x509 ${newKey} -keyout ca.key -out ca.pem -days 2 -subj /CN=authority`)
  openssl(`req ${newKey} -keyout key.pem -out request.pem -subj /CN=redis`)
  openssl(
    'x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out certificate.pem',
  )
  return {
    ca: readFileSync(file('ca.pem'), 'utf8'),
    caFile: file('ca.pem'),
    certificateFile: file('certificate.pem'),
    keyFile: file('key.pem'),
  }
}

/** Why TLS cannot be tested here, if so. */
export function tlsMissing(): string | undefined {
  try {
    execFileSync('openssl', ['version'], { stdio: 'pipe' })
  } catch {
    return 'there is no openssl command to make certificates with'
  }
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
