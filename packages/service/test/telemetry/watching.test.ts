import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { serveMetrics, startService } from './support.ts'

const root = join(import.meta.dirname, '../../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const guide = read('docs/guides/watching.md')
const alarms = read('examples/watching/alarms.yaml')
const dashboard = read('examples/watching/dashboard.json')

/** The metrics that a text names, without the endings that Prometheus adds to histograms. */
function metricsIn(text: string): Set<string> {
  const names = text.match(/\b(latchkey|nodejs|process)_[a-z0-9_]+\b/g) ?? []
  return new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, '')))
}

async function served(): Promise<Set<string>> {
  const { service } = await startService()
  const text = await (await serveMetrics(service)).read()
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  return new Set(types.map(([, name = '', type]) => (type === 'counter' ? `${name}_total` : name)))
}

test('every metric that the guide, the alarms and the dashboard name exists', async () => {
  const known = await served()
  const isKnown = (name: string) => known.has(name) || known.has(`${name}_total`)
  for (const text of [guide, alarms, dashboard]) {
    const named = [...metricsIn(text)]
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((name) => !isKnown(name))).toEqual([])
  }
})

test('the guide names every metric of the service, and the dashboard shows it', async () => {
  const own = [...(await served())].filter((name) => name.startsWith('latchkey_'))
  expect(own.length).toBeGreaterThan(12)
  expect(own.filter((name) => !metricsIn(guide).has(name))).toEqual([])
  const unseen = own.filter((name) => !metricsIn(dashboard).has(name))
  expect(unseen).toEqual(['latchkey_build_info'])
})

test('the alarm about mail leaves out the endpoints of tenants', async () => {
  const { service } = await startService()
  const text = await (await serveMetrics(service)).read()
  const [, labels = ''] = /latchkey_queue_oldest_age_seconds\{(.*?)\}/.exec(alarms) ?? []
  const queues = [...text.matchAll(/^latchkey_queue_oldest_age_seconds\{(.*?)\} /gm)]
  const watched = queues.filter(([, found = '']) => found.includes(labels))
  expect(queues.length).toBeGreaterThan(1)
  expect(watched.map(([, found]) => found)).toEqual([expect.stringContaining('queue="mail"')])
})

test('the guide says what to do about each of the six alarms', () => {
  const { groups } = parse(alarms) as { groups: { rules: { alert: string; expr: string }[] }[] }
  const rules = groups.flatMap((group) => group.rules)
  expect(rules).toHaveLength(6)
  for (const { alert, expr } of rules) {
    expect(guide).toMatch(new RegExp(`^\\| \`${alert}\` .*\\|.*\\S.*\\|.*\\S.*\\|$`, 'm'))
    expect(metricsIn(expr).size).toBe(1)
  }
})
