/** The paths of console pages to which other pages link. */
export const paths = {
  overview: '/console',
  login: '/console/login',
  callback: '/console/callback',
  logout: '/console/logout',
  confirm: '/console/confirm',
  resume: '/console/resume',
  invitation: '/console/invitation',
} as const
