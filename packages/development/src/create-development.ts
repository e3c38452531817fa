import type { DevelopmentPackage } from '@latchkey/core/internal'
import { createDoor } from './door.ts'
import { createRecorder } from './recorder.ts'

/**
 * Creates the login recorder of one application, and the key check that protects the recorder and
 * the personas.
 */
export const createDevelopment: DevelopmentPackage['createDevelopment'] = (
  key,
  options,
  log,
  personas,
) => {
  const door = createDoor(key, options, log)
  const recorder = createRecorder(options)
  if (personas) {
    log.warned(
      'LATCHKEY_PERSONAS',
      `Open ${door.link} in your browser: test users log in with one click, as no provider is configured.`,
    )
  }
  return {
    recorder,
    answer: (path, asked) =>
      door.answer(path, asked) ?? recorder.answer(path, asked) ?? personas?.answer(path, asked),
  }
}
