import type { FrameworkName, Language } from './frameworks.ts'

/** The provider that logs users in: our service on this machine, or an existing OpenID Connect issuer. */
export type Provider =
  | { readonly name: 'service' }
  | {
      readonly name: 'issuer'
      readonly issuer: string
      readonly clientId: string
      readonly clientSecret: string
    }

/** The names of the providers, which are the values of `--provider`. */
export const providerNames = ['service', 'issuer'] as const

/** The answers to all questions, from which an application is created. */
export interface Answers {
  readonly framework: FrameworkName
  readonly language: Language
  readonly provider: Provider
  /** The port of the application on this machine. */
  readonly port: number
}
