import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a server, which can fall silent without closing a connection, as a host that vanished does. */
export interface SilentProxy extends Disposable {
  readonly port: number
  /** How many connections were made. */
  connections(): number
  /** Silences the connections of this moment for good; new ones work. */
  silence(): void
  /** Silences new connections too, or lets them through again. */
  silenceNew(isSilent: boolean): void
}

/** Starts a proxy in front of a port of this machine. */
export async function startSilentProxy(port: number): Promise<SilentProxy> {
  const sockets = new Set<Socket>()
  const silent = new Set<Socket>()
  let isNewSilent = false
  const server = createServer((socket) => {
    sockets.add(socket)
    if (isNewSilent) silent.add(socket)
    const upstream = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      from.on('data', (data: Buffer) => void (silent.has(socket) || to.write(data)))
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => sockets.size,
    silence() {
      for (const socket of sockets) silent.add(socket)
    },
    silenceNew(isSilent) {
      isNewSilent = isSilent
    },
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
