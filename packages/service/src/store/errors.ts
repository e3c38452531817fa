/**
 * The store itself failed, because the disk is full for example, or the database is locked or missing. Nothing was
 * written.
 */
export class StoreError extends Error {
  override readonly name: string = 'StoreError'
}
