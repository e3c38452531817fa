/** Where the pages of the console are that others lead to. */
export const paths = {
  overview: '/console',
  login: '/console/login',
  callback: '/console/callback',
  logout: '/console/logout',
  confirm: '/console/confirm',
  invitation: '/console/invitation',
} as const
