/**
 * The store itself failed: for example, the disk is full, or the database is locked or missing. A
 * write of the data store has changed nothing, unless the error is an {@link OutcomeUnknownError}.
 */
export class StoreError extends Error {
  override readonly name: string = 'StoreError'
}

/**
 * The answer to a write was lost: the connection broke, or the time limit was reached, after the
 * statement was sent. The database may have carried out the write, or may still do so. Look at the
 * data before you repeat the write.
 */
export class OutcomeUnknownError extends StoreError {
  override readonly name = 'OutcomeUnknownError'
}
