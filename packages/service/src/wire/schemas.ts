import { z } from 'zod'
import { legacySchemes } from '../domain/users/legacy-import.ts'
import { importAlgorithms, storedAlgorithms } from '../domain/users/passwords.ts'
import { limits } from '../domain/writes/rules.ts'
import { type CredentialKind, eachKind } from '../resources/credentials.ts'
import { type SettingKind, type SettingName, tenantSettings } from '../resources/tenant-settings.ts'

/**
 * The schemas of request bodies, as in the specification. They check only the shapes of bodies. The
 * domain checks the values, whose limits the schemas describe for the OpenAPI document.
 */

const id = z
  .unknown()
  .optional()
  .meta({ readOnly: true, description: 'Ignored: the route decides.' })
const system = z
  .unknown()
  .optional()
  .meta({ readOnly: true, description: 'Ignored: the service sets it.' })
const type = (name: string) =>
  z
    .unknown()
    .optional()
    .meta({ description: `"${name}"; ignored.` })

const metadata = z
  .record(
    z.string().meta({ maxLength: limits.metadataKeyLength }),
    z.string().meta({ maxLength: limits.metadataValueLength }),
  )
  .default({})
  .meta({
    maxProperties: limits.metadataKeys,
    description: 'String keys and values for your own use. Not for sensitive data.',
  })

const text = z.string().default('').meta({ maxLength: limits.textLength })
const flag = z.boolean().default(false)
const seconds = z.number().int().min(0).max(limits.seconds).default(0)
const urls = z
  .array(z.string().meta({ maxLength: limits.urlLength }))
  .default([])
  .meta({
    maxItems: limits.urls,
    description: 'https, or http on loopback (any host in developer mode); no fragment.',
  })

/** The schema of a setting's value, by the kind of the setting. */
const schemaOf = { host: z.string(), text, flag, seconds } as const

const settingSchemas = Object.fromEntries(
  tenantSettings.map(({ name, kind, description }) => [
    name,
    description === undefined ? schemaOf[kind] : schemaOf[kind].meta({ description }),
  ]),
) as { [Name in SettingName]: (typeof schemaOf)[SettingKind<Name>] }

export const tenantBody = z
  .object({
    type: type('Tenant'),
    id,
    created_at: system,
    updated_at: system,
    name: text,
    metadata,
    settings: z.object(settingSchemas),
  })
  .meta({ description: 'The complete tenant: what is omitted becomes its zero value or false.' })

export const applicationBody = z
  .object({
    type: type('Application'),
    id,
    created_at: system,
    updated_at: system,
    secret: system,
    name: text,
    metadata,
    login_url: z.string().default('').meta({ maxLength: limits.urlLength }),
    logout_urls: urls,
    redirect_urls: urls,
  })
  .meta({ description: 'The complete application: what is omitted becomes its zero value.' })

const claim = z.string().meta({ maxLength: limits.textLength }).optional()

export const userBody = z
  .object({
    type: type('User'),
    id,
    created_at: system,
    updated_at: system,
    metadata,
    disabled: flag.meta({ description: 'true blocks logins and ends sessions.' }),
    verified_at: z.string().meta({ format: 'date-time' }).optional(),
    profile: z
      .object({
        // The schema has no `format: 'email'`, which excludes international addresses and spaces
        // around an address.
        email: z.string().meta({
          maxLength: limits.emailLength,
          description: 'An email address, unique in the tenant in any case and normal form.',
        }),
        email_verified: flag,
        name: claim,
        family_name: claim,
        given_name: claim,
        first_name: claim.meta({ description: 'The same as given_name.' }),
        givenname: claim.meta({ description: 'The same as given_name.' }),
      })
      .catchall(z.unknown())
      .meta({
        description: 'Further string members are kept.',
        maxProperties: limits.profileMembers,
      }),
  })
  .meta({ description: 'The complete user: what is omitted becomes its zero value or false.' })

/**
 * The schema of an algorithm. Its names are only for the OpenAPI document, because the domain
 * refuses other names with a specific code.
 */
const algorithm = (names: readonly string[]) => z.string().meta({ enum: [...new Set(names)] })

export const credentialBody = z
  .object({
    type: z
      .literal('PasswordCredential', {
        error: 'Only password credentials can be created here; users enrol the others themselves.',
      })
      .optional(),
    id,
    created_at: system,
    updated_at: system,
    metadata,
    disabled: flag,
    password: z.object({
      alg: algorithm(importAlgorithms),
      hash: z.string().meta({
        description: 'The plain password, or its hash in the stated algorithm.',
      }),
      cost: system,
    }),
  })
  .meta({ description: 'The complete password credential.' })

/**
 * The schema of the body that updates a credential other than a password. `name`: the name of the
 * credential's kind in the API.
 */
const factorBody = <T extends string>(name: T) =>
  z
    .object({
      type: z.literal(name).optional(),
      id,
      created_at: system,
      updated_at: system,
      metadata,
      disabled: flag,
    })
    .meta({
      description: 'The complete credential. Only `metadata` and `disabled` can be changed.',
    })

/** The schemas of bodies that update a credential, by the kind of the stored credential. */
export const credentialBodies: Readonly<Record<CredentialKind, z.ZodObject>> = {
  ...eachKind((_, { type }) => factorBody(type)),
  password: credentialBody.extend({
    type: z.literal('PasswordCredential').optional(),
    password: credentialBody.shape.password.extend({
      alg: algorithm([...importAlgorithms, ...storedAlgorithms]),
    }),
  }),
}

export const importedUserBody = userBody
  .extend({
    password: z
      .object({
        alg: algorithm(importAlgorithms),
        hash: z.string().meta({
          description: 'The plain password, or its hash in the stated algorithm.',
        }),
      })
      .optional(),
    legacy_password: z
      .object({
        scheme: algorithm(legacySchemes),
        hash: z.string().meta({ maxLength: limits.legacyHashLength }),
        parameters: z
          .record(z.string(), z.union([z.string(), z.number()]))
          .optional()
          .meta({ description: 'Those that the hash itself does not name.' }),
      })
      .optional()
      .meta({
        description:
          'Instead of `password`: the hash of another system. The first login replaces it by bcrypt.',
      }),
  })
  .meta({ description: 'A user to create, with a password where there is one.' })

export type TenantBody = z.output<typeof tenantBody>
export type ApplicationBody = z.output<typeof applicationBody>
export type UserBody = z.output<typeof userBody>
export type CredentialBody = z.output<typeof credentialBody>
