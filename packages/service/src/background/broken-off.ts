/**
 * The service closed before an attempt ended. The attempt does not count; its item is claimed again
 * when the lease expires.
 */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff'

  constructor(cause?: unknown) {
    super('The service closed before the attempt ended.', { cause })
  }
}
