import { afterEach, expect, test, vi } from 'vitest'
import { createBackground } from '../../src/background/index.ts'

afterEach(() => vi.useRealTimers())

function aBackground() {
  vi.useFakeTimers()
  const logged: { task?: string }[] = []
  return {
    logged,
    background: createBackground({ warn: () => {}, error: (facts) => void logged.push(facts) }),
  }
}

/** A task that runs until it is told to end. */
function aTask() {
  const runs: PromiseWithResolvers<void>[] = []
  return {
    runs,
    task: () => {
      const run = Promise.withResolvers<void>()
      runs.push(run)
      return run.promise
    },
  }
}

test('a task never overlaps itself, and a tick during a run is left out', async () => {
  const { background } = aBackground()
  const { runs, task } = aTask()
  background.every(1_000, 'counting', task)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(runs).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(runs).toHaveLength(1)
  runs[0]?.resolve()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(runs).toHaveLength(2)
})

test('a task that is woken during a run runs once more', async () => {
  const { background } = aBackground()
  const { runs, task } = aTask()
  const repeated = background.every(1_000, 'counting', task)
  void repeated.wake()
  void repeated.wake()
  void repeated.wake()
  expect(runs).toHaveLength(1)
  runs[0]?.resolve()
  await vi.advanceTimersByTimeAsync(0)
  expect(runs).toHaveLength(2)
  runs[1]?.resolve()
  await vi.advanceTimersByTimeAsync(0)
  expect(runs).toHaveLength(2)
})

test('a failure is logged with the name of the task, which runs again at the next tick', async () => {
  const { background, logged } = aBackground()
  let runs = 0
  background.every(1_000, 'counting', async () => {
    runs++
    throw new Error('Nothing to count.')
  })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(runs).toBe(2)
  const failure = { task: 'counting', err: { message: 'Nothing to count.' } }
  expect(logged).toMatchObject([failure, failure])
})

test('closing waits for every run in progress, tells it to stop, and begins none', async () => {
  const { background } = aBackground()
  const [first, second] = [aTask(), aTask()]
  let isStopped: (() => boolean) | undefined
  const repeated = background.every(1_000, 'first', (isClosed) => {
    isStopped = isClosed
    return first.task()
  })
  background.every(1_000, 'second', second.task)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(isStopped?.()).toBe(false)
  let isClosed = false
  const closing = background.close().then(() => {
    isClosed = true
  })
  expect(isStopped?.()).toBe(true)
  first.runs[0]?.resolve()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(isClosed).toBe(false)
  second.runs[0]?.resolve()
  await closing
  await repeated.wake()
  await vi.advanceTimersByTimeAsync(5_000)
  expect([first.runs.length, second.runs.length]).toEqual([1, 1])
})

test('a task that is idle is not run at a tick', async () => {
  const { background } = aBackground()
  const { runs, task } = aTask()
  let isDue = false
  background.every(1_000, 'counting', task, () => isDue)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(runs).toHaveLength(0)
  isDue = true
  await vi.advanceTimersByTimeAsync(1_000)
  expect(runs).toHaveLength(1)
})
