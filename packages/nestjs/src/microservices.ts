import { type CanActivate, UseGuards } from '@nestjs/common'
import { MetadataScanner, type ModulesContainer } from '@nestjs/core'
import { mustBePublic } from './latchkey-guard.ts'

/** The metadata key that marks a method as a handler of messages or events. */
const MESSAGE_HANDLER = 'microservices:handler_type'

/** The guard of message handlers. It also refuses messages that the global guard never sees. */
const messageGuard: CanActivate = {
  canActivate(context) {
    if (context.getType() === 'rpc') mustBePublic(context)
    return true
  },
}

const scanner = new MetadataScanner()
const guarded = new WeakSet<object>()

/**
 * Adds a guard to each message handler of the controllers. The global guard is not enough:
 * `app.connectMicroservice()` creates a microservice without the global guards of the application.
 */
export function guardMessages(modules: ModulesContainer): void {
  for (const { controllers } of modules.values()) {
    for (const { metatype } of controllers.values()) {
      const { prototype } = metatype as { readonly prototype: Readonly<Record<string, object>> }
      for (const name of scanner.getAllMethodNames(prototype)) {
        const handler = prototype[name]
        if (handler && Reflect.hasMetadata(MESSAGE_HANDLER, handler))
          guard(prototype, name, handler)
      }
    }
  }
}

/** Adds the guard once, because several applications of a process may have the same controller. */
function guard(prototype: object, name: string, handler: object): void {
  if (guarded.has(handler)) return
  guarded.add(handler)
  UseGuards(messageGuard)(prototype, name, { value: handler })
}
