import { Agent, buildConnector, fetch as undiciFetch } from 'undici'

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** A `fetch` that finds `*.localhost` on this machine, as browsers do. */
export function createLoopbackFetch(): Fetch {
  const dispatcher = new Agent({
    connect: {
      lookup: (_hostname, options, callback) => {
        if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }])
        else callback(null, '127.0.0.1', 4)
      },
    },
  })
  return (url, init) =>
    undiciFetch(url, { ...(init as object), dispatcher }) as unknown as Promise<Response>
}

/** Reaches a process by its origin, whatever host a URL names. `close` ends its connections at once. */
export function createFetchTo(origin: string): { fetch: Fetch; close(): Promise<void> } {
  const connector = buildConnector({})
  const { hostname, port } = new URL(origin)
  const dispatcher = new Agent({
    connect: (options, callback) => connector({ ...options, hostname, port }, callback),
  })
  return {
    fetch: (url, init) =>
      undiciFetch(url, { ...(init as object), dispatcher }) as unknown as Promise<Response>,
    close: () => dispatcher.destroy(),
  }
}
