import type { Permission } from '../../domain/operators/roles.ts'
import { ServiceError } from '../../domain/writes/errors.ts'
import { newKeptField } from '../forms/kept-name.ts'
import type { Refused } from '../forms/refused.ts'
import type { Consequences } from '../pages/index.ts'
import { message, type Sentence } from '../texts/index.ts'
import {
  type Call,
  type ConsoleRoute,
  type Result,
  serviceForm,
  servicePage,
  type TenantCall,
  tenantForm,
  tenantPage,
} from './call.ts'

/**
 * An action that takes something away, such as a deletion. A page shows its consequences before the
 * action is run.
 */
export interface DestructiveAction<C extends Call = Call> {
  /**
   * The path of the page and of its form. For an action on a tenant, the part after
   * `/console/t/:tenant`.
   */
  readonly path: string
  readonly title: Sentence
  /** The label of the red button that runs the action. */
  readonly button: Sentence
  /** The permission that the operator needs. Default: `edit`. */
  readonly needs?: Permission
  /** Whether the operator must have logged in within the last five minutes. Default: `true`. */
  readonly isDangerous?: boolean
  /** Reads the consequences for the page. */
  look(call: C): Promise<Consequences>
  /** Runs the action. */
  run(call: C): Promise<Result>
}

/** The routes of destructive actions on a tenant: a page and a form for each. */
export function tenantActions(acts: readonly DestructiveAction<TenantCall>[]): ConsoleRoute[] {
  return acts.flatMap((act) => {
    const { needs = 'edit', isDangerous = true } = act
    const path = `/console/t/:tenant${act.path}`
    return [
      tenantPage(act.path, (call) => ask(call, act, path), { needs, isDangerous }),
      tenantForm(act.path, (call) => decide(call, act, path), { needs, isDangerous }),
    ]
  })
}

/** The routes of destructive actions on the whole service: a page and a form for each. */
export function serviceActions(acts: readonly DestructiveAction[]): ConsoleRoute[] {
  return acts.flatMap((act) => {
    const { path, needs = 'edit', isDangerous = true } = act
    return [
      servicePage(path, (call) => ask(call, act, path), { needs, isDangerous }),
      serviceForm(path, (call) => decide(call, act, path), { needs, isDangerous }),
    ]
  })
}

/** Shows the page of an action. `refused` is the reason why its form is shown again. */
async function ask<C extends Call>(
  call: C,
  act: DestructiveAction<C>,
  path: string,
  refused: Refused = {},
): Promise<Result> {
  const { commands, ...consequences } = await act.look(call)
  const { field } = consequences
  return {
    kind: 'page',
    name: 'destructive-action',
    title: act.title,
    data: {
      ...consequences,
      button: act.button,
      action: path.replace(/:(\w+)/g, (_, name: string) => call.ids[name] ?? ''),
      sent: call.form.get('typed') ?? '',
      keptName: newKeptField(),
      entered: (field && call.form.get(field.name)) ?? undefined,
    },
    commands,
    ...refused,
  }
}

/** Runs the action. If a name has to be typed and another one was typed, shows the page again. */
async function decide<C extends Call>(
  call: C,
  act: DestructiveAction<C>,
  path: string,
): Promise<Result> {
  const { typed, id, readAt } = await act.look(call)
  if (readAt !== undefined) return runOnce(call, act, path)
  if (!typed) return act.run(call)
  const sent = (call.form.get('typed') ?? '').trim().toLowerCase()
  if ([typed.name.trim(), id].some((one) => one?.toLowerCase() === sent)) return act.run(call)
  const problem = message('Nothing was done: enter {name}, as it is written here.', {
    name: typed.name,
  })
  return ask(call, act, path, { problem, status: 422 })
}

/** Runs the action. If its object was changed after the page was opened, shows the page again. */
async function runOnce<C extends Call>(
  call: C,
  act: DestructiveAction<C>,
  path: string,
): Promise<Result> {
  try {
    return await act.run(call)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'conflict') throw error
    const problem: Sentence =
      'Nothing was done: this was changed after the page was opened, perhaps by pressing the button twice. Press again only if it has to change once more.'
    return ask(call, act, path, { problem, status: 409 })
  }
}
