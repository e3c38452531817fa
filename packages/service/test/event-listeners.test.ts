import { createIdentityService } from '@latchkey/service'
import { expect, onTestFinished, test } from 'vitest'

test('an application that listens to the events of the service in several places is not told of a leak', async () => {
  const warnings: Error[] = []
  const keep = (warning: Error) => void warnings.push(warning)
  process.on('warning', keep)
  onTestFinished(() => void process.off('warning', keep))
  await using service = await createIdentityService()

  let heard = 0
  for (let n = 0; n < 10; n++) service.events.on('change', () => heard++)
  await service.admin.createTenant({ domain: 'acme.example' })
  await new Promise((resolve) => setImmediate(resolve))

  expect(heard).toBeGreaterThanOrEqual(10)
  expect(warnings).toEqual([])
})
