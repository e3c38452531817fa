import fc from 'fast-check'
import { tenantSettings } from '../../src/resources/tenant-settings.ts'

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

const arbitraryOf = {
  host: fc.integer({ min: 0, max: 1e9 }).map((n) => `t${n}.example`),
  text,
  flag: fc.boolean(),
  seconds: fc.integer({ min: 0, max: 2_147_483_647 }),
}

/** The settings of a tenant, all of them. */
export const settings: fc.Arbitrary<Record<string, unknown>> = fc.record({
  ...Object.fromEntries(tenantSettings.map(({ name, kind }) => [name, arbitraryOf[kind]])),
  support_email: fc.constantFrom('', 'help@acme.example'),
})

/** An address, in some writing, and whether it is said to be verified. */
export const verification = fc.record({
  email: fc.constantFrom('u0@example.com', 'U0@Example.com', 'u1@example.com', 'U1@example.com'),
  email_verified: fc.boolean(),
})

/** An instant that RFC 3339 can write, at any end of its years or near the present. */
export const instant: fc.Arbitrary<Date> = fc.oneof(
  fc.date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  }),
  fc.date({ min: new Date('1960-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
)
