/** A document as a database may keep it. */
export interface StoredDocument {
  ownerId: string
}

const documents = new Map<string, StoredDocument>([['1', { ownerId: 'ada' }]])

/** Stands for a query. */
export async function loadDocument(id: string): Promise<StoredDocument | undefined> {
  return documents.get(id)
}
