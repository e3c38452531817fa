import { AsyncLocalStorage } from 'node:async_hooks'
import type { Holder } from '../../domain/writes/entries.ts'
import type {
  Change,
  EntryName,
  ProtocolEntry,
  ProtocolStore,
  Renewal,
} from '../../store/protocol-store.ts'
import { SpentError } from '../engine/code.ts'

/**
 * The changes of a request, which are stored in one step before the response is sent. This takes
 * one round trip instead of one for each record, and nothing is half done if the process dies.
 */
interface RequestChanges {
  spent: Map<string, Change>
  others: Map<string, Change>
  /** Entries that were read in advance. Each is used once. */
  ahead: Map<string, ProtocolEntry | undefined>
}

const collected = new AsyncLocalStorage<RequestChanges>()

/**
 * Runs `work`, and collects its changes. `work` must call {@link makeChanges} before its response.
 */
export function collectChanges<T>(work: () => Promise<T>): Promise<T> {
  return collected.run({ spent: new Map(), others: new Map(), ahead: new Map() }, work)
}

/**
 * Stores the changes that the current request has collected.
 *
 * @throws SpentError if another request has used the same code or token first, or has changed or
 *   ended the same session. In this case, nothing is changed.
 */
export async function makeChanges(protocol: ProtocolStore): Promise<void> {
  const changes = collected.getStore()
  if (!changes) return
  const { spent, others } = changes
  const all = [...spent.values(), ...others.values()]
  spent.clear()
  others.clear()
  if (all.length > 0 && !(await protocol.write(all))) {
    throw new SpentError('the code or token was spent by another request')
  }
}

/**
 * Stores a change together with those that the current request has collected.
 *
 * @returns `false` if the change cannot be made. In this case, nothing is changed, and the other
 *   changes stay collected.
 */
export async function makeChangesWith(protocol: ProtocolStore, one: Change): Promise<boolean> {
  const { spent, others } = collected.getStore() ?? {}
  const before = [...(spent?.values() ?? []), ...(others?.values() ?? [])]
  if (!(await protocol.write([...before, one]))) return false
  dropChanges()
  return true
}

/** Forgets the changes that the current request has collected. */
export function dropChanges(): void {
  const { spent, others } = collected.getStore() ?? {}
  spent?.clear()
  others?.clear()
}

/**
 * Adds changes to those of the current request. Without a request that collects changes, stores
 * them at once, in one step.
 *
 * @returns Whether the changes are stored already.
 * @throws SpentError if the changes are stored at once, and the code or token was already used, or
 *   the entry has changed since it was read.
 */
export async function change(protocol: ProtocolStore, ...all: readonly Change[]): Promise<boolean> {
  const changes = collected.getStore()
  if (!changes) {
    if (!(await protocol.write(all))) throw new SpentError('it was spent by another request')
    return true
  }
  for (const one of all) {
    const key = textOf(one.kind === 'put' ? one.entry : one.name)
    const to = one.kind === 'consume' ? changes.spent : changes.others
    to.set(key, one)
  }
  return false
}

/** A copy of the holder. Its `put` adds to the changes of the current request. */
export function withRequest({ context, tenant }: Holder): Holder {
  const { protocol, domain } = context
  const put: ProtocolStore['put'] = async (entry) => {
    await change(protocol, { kind: 'put', entry })
  }
  return { tenant, context: { domain, protocol: { ...protocol, put } } }
}

/** Reads the entries that the current request needs next, in one step. */
export async function readAhead(
  protocol: ProtocolStore,
  names: readonly EntryName[],
): Promise<void> {
  const changes = collected.getStore()
  if (!changes) return
  const found = await protocol.findAll(names)
  for (const [at, name] of names.entries()) changes.ahead.set(textOf(name), found[at])
}

/** Finds an entry, with the changes that the current request has made to it. */
export async function findChanged(
  protocol: ProtocolStore,
  name: EntryName,
  renewal?: Renewal,
): Promise<ProtocolEntry | undefined> {
  const { others, ahead } = collected.getStore() ?? {}
  const key = textOf(name)
  const changed = others?.get(key)
  if (changed) return changed.kind === 'put' ? changed.entry : undefined
  if (!ahead?.has(key)) return protocol.find(name, renewal)
  const entry = ahead.get(key)
  ahead.delete(key)
  return entry
}

/** Finds an entry among those that were read in advance, by its `uid`. */
export function findAhead(kind: string, uid: string): ProtocolEntry | undefined {
  const { ahead } = collected.getStore() ?? {}
  return [...(ahead?.values() ?? [])].find((entry) => entry?.kind === kind && entry.uid === uid)
}

const textOf = ({ kind, key }: EntryName): string => `${kind} ${key}`
