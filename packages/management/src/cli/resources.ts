import type { Command } from 'commander'
import type { ManagementClient } from '../client.ts'
import { readInput } from '../command-line/files.ts'
import type { Deletable, Readable } from '../resources/resource.ts'
import type { Application, Credential, Tenant, User } from '../types.ts'
import {
  connect,
  pair,
  type TenantOptions,
  tenantOf,
  withConnection,
  withTenant,
} from './options.ts'
import { type Columns, type OutputOptions, printAll, printOne, withOutput } from './output.ts'

type Options = TenantOptions &
  OutputOptions & { limit?: number; data?: string; set?: [string, string][]; user: string }

/** A resource of the API, with the parts that its commands need. */
interface Resource<T> {
  name: string
  one: string
  columns: Columns<T>
  open(client: ManagementClient, options: Options): Promise<Access<T>>
  example?: string
  withOptions(command: Command): Command
}

type Access<T> = Readable<T> & Partial<Deletable<T>> & { create?(input: never): Promise<T> }

const tenants: Resource<Tenant> = {
  name: 'tenants',
  one: 'tenant',
  columns: ({ id, name, settings }) => ({ id, domain: settings.domain, name }),
  open: async (client) => client.tenants,
  withOptions: withConnection,
}

const applications: Resource<Application> = {
  name: 'applications',
  one: 'application',
  columns: ({ id, name, login_url, redirect_urls }) => ({
    id,
    name,
    login: login_url,
    redirects: redirect_urls.join(' '),
  }),
  open: async (client, options) => client.applications(await tenantOf(client, options)),
  example: `latchkey applications create --data '{"name":"Shop","redirect_urls":["https://shop.example/callback"]}'`,
  withOptions: withTenant,
}

/** The table cells of a user. */
export const userColumns: Columns<User> = ({ id, profile, disabled, verified_at, created_at }) => ({
  id,
  email: profile.email,
  name: profile.name,
  disabled: disabled ? 'yes' : '',
  verified: verified_at ? 'yes' : '',
  created: created_at,
})

const users: Resource<User> = {
  name: 'users',
  one: 'user',
  columns: userColumns,
  open: async (client, options) => client.users(await tenantOf(client, options)),
  example: 'latchkey users update usr_… --set disabled=true --set profile.name="Ada Lovelace"',
  withOptions: withTenant,
}

const credentials: Resource<Credential> = {
  name: 'credentials',
  one: 'credential',
  columns: ({ id, type, password, totp_app, totp_email, hardware, disabled, updated_at }) => ({
    id,
    type,
    alg: password.alg,
    disabled: disabled ? 'yes' : '',
    used: (totp_app ?? totp_email ?? hardware)?.last_used_at ?? '',
    updated: updated_at,
  }),
  open: async (client, options) =>
    client.credentials(await tenantOf(client, options), options.user),
  example: `printf '{"password":{"alg":"plain","hash":"…"}}' | latchkey credentials create --user usr_… --data -`,
  withOptions: (command) => withTenant(command).requiredOption('--user <id>', 'whose they are'),
}

/**
 * Adds `tenants`, `applications`, `users` and `credentials`. Returns the command `users`, to which
 * further subcommands are added.
 */
export function addResourceCommands(program: Command): Command {
  addResource(program, tenants, ['list', 'get', 'update'])
  addResource(program, applications)
  addResource(program, credentials)
  return addResource(program, users)
}

function addResource<T extends { id: string }>(
  program: Command,
  resource: Resource<T>,
  operations = ['list', 'get', 'create', 'update', 'delete'],
): Command {
  const { name, one } = resource
  const group = program.command(name).description(`${operations.join(', ')} ${name}`)
  if (resource.example) group.addHelpText('after', `\nExample:\n  ${resource.example}`)
  const add = (usage: string, description: string): Command =>
    withOutput(resource.withOptions(group.command(usage).description(description)))
  const open = (options: Options) => resource.open(connect(options), options)

  add('list', `List all ${name}, in the order of creation.`).action(async (options: Options) => {
    await printAll((await open(options)).list(), options, resource.columns)
  })
  add('get <id>', `Show one ${one}.`).action(async (id: string, options: Options) => {
    await printOne(await (await open(options)).get(id), options)
  })
  if (operations.includes('create')) {
    withData(add('create', `Create one ${one}.`)).action(async (options: Options) => {
      const access = await open(options)
      const input = applied({}, options) as never
      if (access.create) await printOne(await access.create(input), options)
    })
  }
  withData(add('update <id>', `Change members of one ${one}; all others stay.`)).action(
    async (id: string, options: Options) => {
      const access = await open(options)
      await printOne(await access.update(id, (object) => applied(object, options) as T), options)
    },
  )
  if (operations.includes('delete')) {
    add('delete <id>', `Delete one ${one}; it cannot be brought back.`).action(
      async (id: string, options: Options) => {
        const deleted = await (await open(options)).delete?.(id)
        await printOne(deleted ?? { id }, options)
      },
    )
  }
  return group
}

function withData(command: Command): Command {
  return command
    .option('--data <json>', 'members as a JSON object; @FILE reads a file, - standard input')
    .option('--set <name=value>', 'one member, such as profile.name=Ada; repeatable', pair)
}

/** A copy of `object` with the members of `--data` and the values of `--set`. */
function applied(object: object, options: Options): object {
  const result: Record<string, unknown> = { ...object, ...readData(options.data) }
  for (const [name, text] of options.set ?? []) {
    const path = name.split('.')
    const last = path.pop() ?? ''
    let target = result
    for (const member of path) {
      const inner = { ...(target[member] as object | undefined) }
      target[member] = inner
      target = inner as Record<string, unknown>
    }
    target[last] = parseValue(text, target[last])
  }
  return result
}

/**
 * Parses a value of `--set` as JSON, such as `true`, `5` or `["a"]`. The value stays a string if it
 * is not JSON, or if the member is a string already.
 */
function parseValue(text: string, before: unknown): unknown {
  if (typeof before === 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function readData(text: string | undefined): object {
  if (text === undefined) return {}
  const file = text === '-' ? text : text.startsWith('@') ? text.slice(1) : undefined
  const value = parseJson(file === undefined ? text : readInput(file).toString())
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new Error('--data must be a JSON object.')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The text may hold a password, so it is not repeated.
    throw new Error('--data is not JSON.')
  }
}
