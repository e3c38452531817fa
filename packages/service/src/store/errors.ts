/** The store itself failed: the disk is full, the database is locked or gone. Nothing was written. */
export class StoreError extends Error {
  override readonly name: string = 'StoreError'
}
