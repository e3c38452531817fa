import fc from 'fast-check'

/** Well-formed text that a database can give back as it was. */
export const text = fc
  .string({ unit: 'grapheme', maxLength: 60 })
  .map((value) => value.replaceAll('\0', ''))

/** Metadata within its limits. `__proto__` is the one key that no body may have. */
export const metadata = fc
  .uniqueArray(fc.tuple(text, text), { maxLength: 20, selector: ([key]) => key })
  .map((entries) => Object.fromEntries(entries.filter(([key]) => key !== '__proto__')))

/** Part of the path of a URL that is a wildcard, which is refused. */
function isWildcard(text: string): boolean {
  return /\/\*+([/?]|$)/.test(text)
}

/** URLs that an application may have. */
export const url = fc.oneof(
  fc
    .webUrl({ validSchemes: ['https'], withQueryParameters: true })
    .filter((text) => !isWildcard(text)),
  fc.integer({ min: 1, max: 65_535 }).map((port) => `http://localhost:${port}/callback`),
)

const flag = fc.boolean()
const seconds = fc.integer({ min: 0, max: 2_147_483_647 })

/** The settings of a tenant, all of them. */
export const settings = fc.record({
  domain: fc.integer({ min: 0, max: 1e9 }).map((n) => `t${n}.example`),
  company_name: text,
  logo_image_text: text,
  support_email: fc.constantFrom('', 'help@acme.example'),
  allow_social: flag,
  allow_hardware: flag,
  allow_passwords: flag,
  allow_totp_app: flag,
  allow_totp_email: flag,
  allow_unverified: flag,
  remember_device: flag,
  remember_device_seconds: seconds,
  remember_login_seconds: seconds,
  allow_signups: flag,
  developer_mode: flag,
})

/** An address, in some writing, and whether it is said to be verified. */
export const verification = fc.record({
  email: fc.constantFrom('u0@example.com', 'U0@Example.com', 'u1@example.com', 'U1@example.com'),
  email_verified: flag,
})
