import { Provider } from 'oidc-provider'
import {
  type Change,
  type EntryName,
  type ProtocolEntry,
  type ProtocolStore,
} from '../../store/protocol-store.ts'
import { SpentError } from '../oidc-provider-internals.ts'

/**
 * The changes of a request that is answered by oidc-provider. They are made in one step, before its response is sent:
 * one round trip instead of one for each model, and nothing is half done when the process dies.
 */
interface RequestChanges {
  spent: Map<string, Change>
  others: Map<string, Change>
}

const collected = new WeakMap<object, RequestChanges>()

/** Lets a request collect its changes, which are made by {@link makeChanges}. */
export function collectChanges(ctx: object): void {
  collected.set(ctx, { spent: new Map(), others: new Map() })
}

/**
 * Makes the changes that the request has collected.
 *
 * @throws SpentError when another request has spent the same code or token first; then nothing is changed.
 */
export async function makeChanges(protocol: ProtocolStore, ctx: object): Promise<void> {
  const changes = collected.get(ctx)
  if (!changes) return
  const { spent, others } = changes
  const all = [...spent.values(), ...others.values()]
  spent.clear()
  others.clear()
  if (all.length > 0 && !(await protocol.write(all))) {
    throw new SpentError('the code or token was spent by another request')
  }
}

/** Makes a change with the others of the request in progress; outside of one, at once. */
export async function change(protocol: ProtocolStore, one: Change): Promise<void> {
  const changes = Provider.ctx && collected.get(Provider.ctx)
  const key = textOf(one.kind === 'put' ? one.entry : one.name)
  if (changes) (one.kind === 'consume' ? changes.spent : changes.others).set(key, one)
  else if (!(await protocol.write([one]))) throw new SpentError('it was spent by another request')
}

/** An entry as the request in progress has changed it. */
export async function findChanged(
  protocol: ProtocolStore,
  name: EntryName,
): Promise<ProtocolEntry | undefined> {
  const changed = Provider.ctx && collected.get(Provider.ctx)?.others.get(textOf(name))
  if (!changed) return protocol.find(name)
  return changed.kind === 'put' ? changed.entry : undefined
}

const textOf = ({ kind, key }: EntryName): string => `${kind} ${key}`
