import { betterAuthCandidate } from './better-auth.ts'
import type { Candidate } from './candidate.ts'
import { djangoCandidate } from './django.ts'
import { doorkeeperCandidate } from './doorkeeper.ts'
import { glewlwydCandidate } from './glewlwyd.ts'
import { lemonldapCandidate } from './lemonldap.ts'
import { oidcProviderConfigurations } from './oidc-provider-configurations.ts'

/** Providers that npm brings, so that every test run has them. */
export const npmCandidates: readonly Candidate[] = [
  ...oidcProviderConfigurations,
  betterAuthCandidate,
]

/** Every provider that journeys are made with, in the order of the table. */
export const candidates: readonly Candidate[] = [
  ...npmCandidates,
  glewlwydCandidate,
  lemonldapCandidate,
  doorkeeperCandidate,
  djangoCandidate,
]
