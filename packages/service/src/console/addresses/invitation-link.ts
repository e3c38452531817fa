/** The URL of the page on which an invited operator sets a password. */
export function invitationLink(consoleUrl: string, token: string): string {
  return `${consoleUrl}/console/invitation?token=${token}`
}
