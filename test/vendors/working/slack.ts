import * as options from '../../../examples/guides/src/providers/slack.ts'
import { EMAIL } from '../person.ts'
import type { Vendor } from '../vendor.ts'

export const vendors: readonly Vendor[] = [
  {
    name: 'Slack',
    sources: [
      'https://docs.slack.dev/authentication/sign-in-with-slack',
      'https://docs.slack.dev/reference/methods/openid.connect.token',
    ],
    options: options.slack,
    metadata: {
      issuer: 'https://slack.com',
      authorization_endpoint: 'https://slack.com/openid/connect/authorize',
      token_endpoint: 'https://slack.com/api/openid.connect.token',
      jwks_uri: 'https://slack.com/openid/connect/keys',
      userinfo_endpoint: 'https://slack.com/api/openid.connect.userInfo',
    },
    claims: { sub: 'U0R7MFMJM', email: EMAIL, 'https://slack.com/team_id': 'T0RR' },
    change: { token: (answer) => ({ body: { ok: true, ...answer } }) },
    user: { sub: 'U0R7MFMJM', email: EMAIL, 'https://slack.com/team_id': 'T0RR' },
    clientAuth: 'basic',
  },
]
