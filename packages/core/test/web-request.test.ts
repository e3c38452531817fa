import { toAuthRequest } from '@latchkey/core/web'
import { expect, test } from 'vitest'

const BASE = new URL('https://app.example.com')

/** A handshake that is watched, and the response of an adapter of its own. */
function watchedHandshake() {
  const ends: (() => void)[] = []
  const response = { isSent: false, onEnd: (ended: () => void) => void ends.push(ended) }
  const controller = new AbortController()
  const { signal } = controller
  const request = new Request(BASE, { headers: { upgrade: 'websocket' }, signal })
  let isClosed = false
  toAuthRequest(request, BASE, {}, response).onClose?.(() => {
    isClosed = true
  })
  const end = (): void => {
    for (const ended of ends) ended()
  }
  return { response, end, abort: () => controller.abort(), isClosed: () => isClosed }
}

test('a handshake that is aborted after its response has been sent is closed', () => {
  const { response, abort, isClosed } = watchedHandshake()
  response.isSent = true
  abort()
  expect(isClosed()).toBe(true)
})

test('a handshake that is aborted before its response is closed when the response ends', () => {
  const { abort, end, isClosed } = watchedHandshake()
  abort()
  expect(isClosed()).toBe(false)
  end()
  expect(isClosed()).toBe(true)
})

test('an adapter that reports the end of its response must say whether it was sent', () => {
  const response = { onEnd: () => {} }
  const asked = [
    toAuthRequest(new Request(BASE), BASE, {}, { ...response, isSent: false }),
    // @ts-expect-error A connection that was closed would be watched until its session ends.
    toAuthRequest(new Request(BASE), BASE, {}, response),
  ]
  expect(asked.map(({ url }) => url)).toEqual([BASE.href, BASE.href])
})
