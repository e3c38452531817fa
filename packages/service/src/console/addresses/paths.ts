/** The fixed paths of the console, by name. */
export const paths = {
  overview: '/console',
  login: '/console/login',
  callback: '/console/callback',
  logout: '/console/logout',
  confirm: '/console/confirm',
  resume: '/console/resume',
  invitation: '/console/invitation',
} as const
