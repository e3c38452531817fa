import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createMarkdownFromOpenApi } from '@scalar/openapi-to-markdown'
import { createIdentityService } from '../packages/service/src/index.ts'

/** Writes the page of the management API from the OpenAPI document that the service answers with. */
const service = await createIdentityService()
const answer = await service.fetch('http://localhost/x/v1/openapi.json')
const page = await createMarkdownFromOpenApi(await answer.text())
await service.close()
const folder = path.join(import.meta.dirname, 'reference')
mkdirSync(folder, { recursive: true })
// Every operation repeats its server and how to authenticate, which the head of the page says once.
const repeated = /^#### (Effective servers|Authentication)\n[\s\S]*?(?=^#)/gm
const [head = '', ...operations] = page.split(/^(?=## Operations$)/m)
const withoutRepetition = operations.join('').replace(repeated, '')
// At the head nothing stands between it and the title's own sections.
const start = head.replace(/^#### Authentication$/m, '### Authentication')
const outline = '---\noutline: [2, 3]\n---\n\n'
writeFileSync(path.join(folder, 'management-api.md'), outline + start + withoutRepetition)
