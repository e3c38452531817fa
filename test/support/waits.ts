import { vi } from 'vitest'
import { limit, usual } from './limits.ts'

// Vitest's own limit of a second is over before a busy machine has done anything, and it has no setting for it. A module
// is loaded once where files share a worker, so this is done once.
const { waitFor, waitUntil } = vi
vi.waitFor = (condition, options) => waitFor(condition, patient(options))
vi.waitUntil = (condition, options) => waitUntil(condition, patient(options))

function patient<O extends object>(
  options: number | O | undefined,
): number | O | { timeout: number } {
  if (typeof options === 'number') return options
  return { timeout: limit(usual.wait), ...options }
}
