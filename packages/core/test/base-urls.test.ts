import type { IncomingMessage } from 'node:http'
import { toAuthRequest } from '@latchkey/core/node'
import { expect, test } from 'vitest'
import { placeOf } from '../src/http/base-urls.ts'
import { opensSocket } from '../src/http/sending-page.ts'

type Context = Parameters<typeof placeOf>[0][0]
const at = (url: string) => ({ options: { baseUrl: new URL(url) } }) as Context
const place = placeOf([at('https://a.example'), at('https://b.example')])

test.each(['a.example', 'b.example'])(
  'a request that opens a connection says so at %s, and is the same one at each visit',
  (host) => {
    const request = { method: 'GET', url: '/', headers: { host } } as IncomingMessage
    const asked = toAuthRequest(request, new URL('https://a.example'))
    const polling = Object.assign(asked, { opensSocket: true })

    const [first, again] = [place(polling), place(polling)]

    if (first instanceof Error || again instanceof Error) throw first
    expect(first.context.options.baseUrl.host).toBe(host)
    expect(opensSocket(first.request)).toBe(true)
    // A bearer token, whose proof is good once, is kept by the request.
    expect(again.request).toBe(first.request)
  },
)
