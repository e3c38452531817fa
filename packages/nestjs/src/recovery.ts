/** A namespace of Socket.IO. */
interface Namespace {
  readonly server: { readonly opts: { readonly connectionStateRecovery?: Recovery } }
  readonly adapter: {
    restoreSession(privateId: string, offset: string): MaybeRestored | Promise<MaybeRestored>
  }
  use(middleware: (socket: Socket, next: () => void) => void): unknown
  on(event: 'connection', listener: (socket: Socket) => void): unknown
}

/** The option `connectionStateRecovery` of Socket.IO, with its defaults. */
interface Recovery {
  skipMiddlewares: boolean
}

/** A connection that Socket.IO recovers. */
interface Restored {
  readonly data: object
  readonly missedPackets: readonly unknown[]
}

type MaybeRestored = Restored | null

interface Socket {
  readonly data: object
  packet(packet: { readonly type: number; readonly data: unknown }): void
}

/** The type of a packet that is an event. */
const EVENT = 2

/**
 * Makes a recovered connection of Socket.IO wait for the check of its handshake. By default,
 * Socket.IO runs no middleware for it, and it sends the packets that the client missed before any
 * middleware. The client may have lost its session since.
 *
 * @param server - A server of Socket.IO, or a namespace of such a server.
 */
export function checkRecovered(server: object): void {
  const { sockets } = server as { readonly sockets?: Namespace }
  const namespace = ('server' in server ? server : sockets) as Namespace
  const { connectionStateRecovery: recovery } = namespace.server.opts
  if (!recovery) return
  recovery.skipMiddlewares = false
  const restored = new WeakMap<object, readonly unknown[]>()
  const missed = new WeakMap<Socket, readonly unknown[]>()
  const { adapter } = namespace
  const { restoreSession } = adapter
  adapter.restoreSession = async (privateId, offset) => {
    const session = await restoreSession.call(adapter, privateId, offset)
    if (!session) return null
    // The socket that Socket.IO creates next gets the same `data`.
    restored.set(session.data, session.missedPackets)
    return { ...session, missedPackets: [] }
  }
  namespace.use((socket, next) => {
    const packets = restored.get(socket.data)
    restored.delete(socket.data)
    if (packets) missed.set(socket, packets)
    next()
  })
  namespace.on('connection', (socket) => {
    for (const data of missed.get(socket) ?? []) socket.packet({ type: EVENT, data })
  })
}
