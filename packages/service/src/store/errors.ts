/**
 * The store itself failed: for example, the disk is full, or the database is locked or missing.
 * Nothing was written.
 */
export class StoreError extends Error {
  override readonly name: string = 'StoreError'
}
