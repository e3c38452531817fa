import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { statusOfCode } from '../packages/service/src/domain/writes/errors.ts'
import { createIdentityService } from '../packages/service/src/index.ts'
import { type OpenApi, referencePage } from './openapi-page.ts'

/** Writes the page of the management API from the OpenAPI document that the service answers with. */
const service = await createIdentityService()
const answer = await service.fetch('http://localhost/x/v1/openapi.json')
const page = referencePage((await answer.json()) as OpenApi, statusOfCode)
await service.close()
const folder = path.join(import.meta.dirname, 'reference')
mkdirSync(folder, { recursive: true })
writeFileSync(path.join(folder, 'management-api.md'), page)
