/**
 * The path of a request, for the log. The query is left out, because it may contain a secret or an
 * email address.
 */
export function pathOf(req: { originalUrl?: string; url?: string | undefined }): string {
  return (req.originalUrl ?? req.url ?? '/').split('?', 1)[0] as string
}
