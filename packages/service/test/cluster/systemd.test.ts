import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const unit = readFileSync(new URL('../../../../deploy/latchkey.service', import.meta.url), 'utf8')

/** The lines of a section of the unit. */
function linesOf(section: string): string[] {
  const [, rest = ''] = unit.split(`\n[${section}]\n`)
  return rest.split(/^\[/m)[0]?.split('\n') ?? []
}

test('systemd starts the service again however often it failed, such as while its database is down', () => {
  expect(linesOf('Service')).toContain('Restart=always')
  // systemd reads this limit in no other section. By default, it gives up after five starts in ten seconds.
  expect(linesOf('Unit')).toContain('StartLimitIntervalSec=0')
})
