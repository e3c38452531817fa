import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { startRedis } from '../../../session-store/test/support/redis.ts'
import { run, serve, temporaryFolder } from '../cli/support.ts'
import { createDatabase } from '../support/postgres.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const folder = join(root, 'deploy/kubernetes')

// biome-ignore lint/suspicious/noExplicitAny: read as each kind has it
type Manifest = any

const files = readdirSync(folder).filter((file) => file !== 'kustomization.yaml')
const manifests: Manifest[] = files.flatMap((file) =>
  parseAllDocuments(readFileSync(join(folder, file), 'utf8'), { merge: true, version: '1.1' }).map(
    (document) => {
      expect(document.errors).toEqual([])
      return document.toJS()
    },
  ),
)
const one = (kind: string): Manifest => manifests.find((manifest) => manifest.kind === kind)
const pods = [one('Deployment'), one('Job')].map(({ spec }) => spec.template.spec)
const serving = pods[0].containers[0]

/** The value of a flag of `serve`. */
const flag = (name: string): string | undefined =>
  serving.args.find((word: string) => word.startsWith(`--${name}=`))?.split('=')[1]

/** The class of a kind, which checks by the schema that Kubernetes publishes. */
async function classOf({ apiVersion, kind }: Manifest) {
  return (await import(/* @vite-ignore */ `kubernetes-models/${apiVersion}`))[kind]
}

test('each manifest is accepted by the schema of its kind, and has no name that no schema has', async () => {
  const schemas = join(dirname(fileURLToPath(import.meta.resolve('kubernetes-models'))), '_schemas')
  const known = new Set(
    readdirSync(schemas).flatMap((file) =>
      file.endsWith('.js')
        ? [...readFileSync(join(schemas, file), 'utf8').matchAll(/data\.(\w+)/g)].map(
            ([, name = '']) => name,
          )
        : [],
    ),
  )
  expect([known.has('livenessProbe'), known.has('livenesProbe')]).toEqual([true, false])
  for (const manifest of manifests) {
    const Kind = await classOf(manifest)
    expect(() => new Kind(manifest).validate()).not.toThrow()
    expect(() => new Kind({ ...manifest, spec: 'nothing' }).validate()).toThrow()
    expect(namesOf(manifest).filter((name) => !known.has(name))).toEqual([])
  }
  expect(manifests.map(({ kind }) => kind).toSorted()).toEqual([
    ...[
      'Deployment',
      'HorizontalPodAutoscaler',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
    ],
  ])
})

test('kustomization.yaml has each file, and the overlay of the guide changes what is there', () => {
  const yaml = (file: string): Manifest => parse(readFileSync(join(root, file), 'utf8'))
  expect(yaml('deploy/kubernetes/kustomization.yaml').resources).toEqual(files)
  const { images, patches } = yaml('examples/guides/deploy/kubernetes/kustomization.yaml')
  const [image] = pods[0].containers.map((container: Manifest) => container.image.split(':')[0])
  expect(images.map((one: Manifest) => one.name)).toEqual([image])
  for (const { target, patch } of patches) {
    const { metadata, spec } = one(target.kind)
    expect(metadata.name).toBe(target.name)
    for (const { op, path } of parse(patch)) {
      const keys: string[] = path.slice(1).split('/')
      const found = keys.reduce((at: Manifest, key) => at?.[key], { metadata, spec })
      expect([op, found]).toEqual(['replace', expect.anything()])
    }
  }
})

test('no container is root, writes to its own files or sees an address of the Service as an option', () => {
  for (const pod of pods) {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 })
    expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false })
    expect(pod.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  }
})

test('each secret is a file of a volume that its container mounts', () => {
  for (const pod of pods) {
    const [{ env, volumeMounts }] = pod.containers
    const files = env.filter(({ name }: Manifest) => name.endsWith('_FILE'))
    expect(files).not.toEqual([])
    for (const { value } of files) {
      const mount = volumeMounts.find((one: Manifest) => one.mountPath === dirname(value))
      const { secret } = pod.volumes.find((one: Manifest) => one.name === mount.name)
      expect(secret).toMatchObject({ defaultMode: 0o440 })
      for (const item of secret.items ?? []) expect(item.path).toBe(value.split('/').at(-1))
    }
    expect(pod.securityContext.fsGroup).toBe(pod.securityContext.runAsGroup)
    // A variable is seen by every child, and often printed.
    expect(env.filter((one: Manifest) => one.valueFrom)).toEqual([])
  }
})

test('the parts agree with one another and with the service', () => {
  const [pod] = pods
  const ending = Number(flag('drain-seconds')) + Number(flag('close-seconds'))
  expect(ending).toBeLessThan(pod.terminationGracePeriodSeconds)
  const { periodSeconds, failureThreshold } = serving.readinessProbe
  expect(periodSeconds * failureThreshold).toBeLessThan(Number(flag('drain-seconds')))

  const labels = one('Deployment').spec.template.metadata.labels
  const selectors = [
    one('Deployment').spec.selector.matchLabels,
    one('Service').spec.selector,
    one('PodDisruptionBudget').spec.selector.matchLabels,
    one('NetworkPolicy').spec.podSelector.matchLabels,
  ]
  for (const selector of selectors) expect(labels).toMatchObject(selector)
  const { name } = one('Deployment').metadata
  expect(one('HorizontalPodAutoscaler').spec.scaleTargetRef).toMatchObject({
    kind: 'Deployment',
    name,
  })
  expect(one('PodDisruptionBudget').spec.maxUnavailable).toBeLessThan(
    one('HorizontalPodAutoscaler').spec.minReplicas,
  )
  const ports = one('NetworkPolicy').spec.ingress.map((rule: Manifest) => rule.ports[0].port)
  expect(ports).toEqual(serving.ports.map(({ containerPort }: Manifest) => containerPort))

  const variables = readFileSync(join(root, 'docs/environment.md'), 'utf8')
  for (const { env } of pods.map(({ containers }) => containers[0])) {
    for (const { name: variable } of env) expect(variables).toContain(`\`${variable}\``)
  }
  // The image of a job and that of the processes are one release.
  expect(new Set(pods.map(({ containers }) => containers[0].image)).size).toBe(1)
})

test('what the containers run migrates and serves, and answers where the probes and the metrics are asked', async () => {
  const database = await createDatabase({ migrate: false })
  onTestFinished(() => database.drop())
  await using redis = await startRedis()
  using keys = temporaryFolder()
  const mounted = (name: string, content: string): string => {
    const file = join(keys.path, name)
    writeFileSync(file, content, { mode: 0o440 })
    return file
  }
  const here: Record<string, string> = {
    LATCHKEY_DATABASE_FILE: mounted('database', database.url),
    LATCHKEY_REDIS_FILE: mounted('redis', redis.url),
    LATCHKEY_SMTP_URL_FILE: mounted('smtp-url', 'smtp://127.0.0.1:9'),
    LATCHKEY_MAIL_FROM: 'login@example.com',
    LATCHKEY_MASTER_KEY_FILE: mounted('master.key', randomBytes(32).toString('base64')),
  }
  const settings = ({ env }: Manifest): Record<string, string> =>
    Object.fromEntries(env.map(({ name }: Manifest) => [name, here[name]]))
  const [, job] = pods.map(({ containers }) => containers[0])
  const migrated = await run(job.args, settings(job))
  expect(migrated.code, migrated.stderr).toBe(0)

  const [verb, ...options] = serving.args as string[]
  expect(verb).toBe('serve')
  // Ports that other tests do not use, and no load balancer has to notice that the service stops.
  const without = options.filter((word) => !/^--(drain-seconds|metrics-port)=/.test(word))
  const served = await serve([...without, '--metrics-port', '0'], settings(serving))
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
    const { path, port } = serving[probe].httpGet
    expect(port).toBe('http')
    expect((await fetch(`${served.url}${path}`)).status).toBe(200)
  }
  expect(await served.stop()).toBe(0)
  expect(served.log()).toContain('serving metrics')
})

/** The names of all fields, without those of labels, selectors and quantities, which are free. */
function namesOf(value: Manifest): string[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(namesOf)
  return Object.entries(value).flatMap(([name, inner]) => {
    const isFree = /^(labels|matchLabels|requests|limits)$/.test(name)
    const isSelector = name === 'selector' && !Object.hasOwn(inner as object, 'matchLabels')
    return [...(isFree ? [] : [name]), ...(isFree || isSelector ? [] : namesOf(inner))]
  })
}
