import {
  type AuthHandle,
  type AuthHealth,
  LatchkeyError,
  type Requirement,
  type SessionDirectory,
} from '@latchkey/core'
import type { AuthSocket, NodeRequest, SocketHandle } from '@latchkey/core/node'

/** The methods of the kit that need no request. */
export type Handle = AuthHandle & SocketHandle

const handles = new WeakMap<LatchkeyService, Handle>()

/** Sets the handle whose methods a service calls. */
export function keepHandle(service: LatchkeyService, handle: Handle): void {
  handles.set(service, handle)
}

/**
 * The methods of the kit that need no request. Inject this service where you need them. The methods
 * work once the application has started.
 */
export class LatchkeyService implements Handle {
  /** Lists and ends the sessions of a user on every device. */
  get sessions(): SessionDirectory {
    return handleOf(this).sessions
  }

  /**
   * Resolves when the provider and the session store can be reached now: for a readiness probe.
   *
   * @throws {@link ProviderError} or {@link SessionStoreError} when one of them cannot be reached;
   *   an `AggregateError` of both errors when neither can.
   */
  ready(): Promise<void> {
    return handleOf(this).ready()
  }

  /** The last known state of the provider and the session store, without a network call. */
  health(): AuthHealth {
    return handleOf(this).health()
  }

  /**
   * Checks the request of a WebSocket handshake, as the guard of a route checks its requests.
   *
   * @param onClose - Receives a function that stops watching the session, and must call it when the
   *   connection is closed, as in {@link SocketHandle}.
   */
  socket(
    request: NodeRequest,
    requirement?: Requirement<NodeRequest>,
    onClose?: (close: () => void) => void,
  ): Promise<AuthSocket> {
    return handleOf(this).socket(request, requirement, onClose)
  }
}

/**
 * The handle whose methods a service calls.
 *
 * @throws {@link LatchkeyError} before the application has started.
 */
export function handleOf(service: LatchkeyService): Handle {
  const handle = handles.get(service)
  if (handle) return handle
  throw new LatchkeyError(
    'LATCHKEY_ROUTER_NOT_MOUNTED',
    'LatchkeyService was used before the application had started. Use it in handlers, or in onApplicationBootstrap().',
  )
}
