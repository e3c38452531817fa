import { Agent, fetch as undiciFetch } from 'undici'

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
