import { afterLoopTime } from '@latchkey/core/internal'
import { afterEach, describe, expect, test, vi } from 'vitest'

/** The timers that keep this process alive. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
}

describe('waits of the same length', () => {
  afterEach(() => void vi.useRealTimers())

  test('share one timer, and each ends in its own time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] })
    const late: string[] = []
    const wait = (name: string) => afterLoopTime(1_000, () => late.push(name))
    wait('first')
    await vi.advanceTimersByTimeAsync(550)
    const answered = wait('answered')
    wait('second')
    expect(vi.getTimerCount()).toBe(1)

    answered.stop()
    answered.stop()
    await vi.advanceTimersByTimeAsync(440)
    expect(late).toEqual([])
    await vi.advanceTimersByTimeAsync(20)
    expect(late).toEqual(['first'])
    await vi.advanceTimersByTimeAsync(600)
    expect(late).toEqual(['first', 'second'])

    await vi.advanceTimersByTimeAsync(200)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('an answer that comes with the last slice is read first', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] })
    const late = vi.fn()
    const wait = afterLoopTime(1_000, late)
    vi.advanceTimersByTime(999)
    setTimeout(() => wait.stop(), 1)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(late).not.toHaveBeenCalled()
  })

  test('keep the process alive while one is under way, and no longer', () => {
    const before = timers()
    const one = afterLoopTime(60_000, () => {})
    const other = afterLoopTime(60_000, () => {})
    expect(timers()).toBe(before + 1)
    one.stop()
    expect(timers()).toBe(before + 1)
    other.stop()
    expect(timers()).toBe(before)

    const again = afterLoopTime(60_000, () => {})
    expect(timers()).toBe(before + 1)
    again.stop()
    expect(timers()).toBe(before)
  })

  test('end by the clock of a test that has taken it over', async () => {
    afterLoopTime(500, () => {}).stop()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const late = vi.fn()
    afterLoopTime(500, late)
    await vi.advanceTimersByTimeAsync(600)
    await new Promise((resolve) => setImmediate(resolve))
    expect(late).toHaveBeenCalledOnce()
  })
})
