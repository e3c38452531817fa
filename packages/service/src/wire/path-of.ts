/**
 * The path of a request for the log, without its query, which may contain a secret or an address.
 */
export function pathOf(req: { originalUrl?: string; url?: string | undefined }): string {
  return (req.originalUrl ?? req.url ?? '/').split('?', 1)[0] as string
}
