const SLICES = 10

/**
 * The longest delay of a timer, in milliseconds. Node fires a timer with a longer delay at once.
 */
const MAX_MILLISECONDS = 2 ** 31 - 1

/**
 * Whether requests may share a timer. Cloudflare Workers drop a timer together with the request
 * that has set it, so requests there share none.
 */
const sharesTimers = globalThis.navigator?.userAgent !== 'Cloudflare-Workers'

/** A wait with a time limit. */
export interface Wait {
  /** Ends the wait. Further calls do nothing. */
  stop(): void
}

/**
 * Calls `late` after a period, unless the returned wait is stopped before. Only time in which the
 * event loop runs counts, because a blocked process, such as one that loads modules at a cold
 * start, cannot read a response that has arrived. The period is divided into slices, and a slice
 * whose timer fires late counts as one slice.
 *
 * All waits of the same length share one timer. A slice that began before the wait is not counted,
 * so a wait ends up to one slice late, and never early.
 */
export function afterLoopTime(milliseconds: number, late: () => void): Wait {
  return (sharesTimers ? queueOf(milliseconds) : new Queue(milliseconds)).add(late)
}

/**
 * The queues by the length of their waits in milliseconds. The options set these lengths, so there
 * are few queues.
 */
const queues = new Map<number, Queue>()

function queueOf(milliseconds: number): Queue {
  const known = queues.get(milliseconds)
  if (known) return known
  const queue = new Queue(milliseconds)
  queues.set(milliseconds, queue)
  return queue
}

/** An element of a doubly linked ring. The queue is the start and the end of the ring. */
interface Link {
  before: Link
  after: Link
}

class Waiting implements Wait, Link {
  before: Link
  after: Link
  readonly endsAt: number
  readonly late: () => void
  readonly #queue: Queue

  constructor(queue: Queue, endsAt: number, late: () => void) {
    this.before = queue.before
    this.after = queue
    this.before.after = this
    queue.before = this
    this.endsAt = endsAt
    this.late = late
    this.#queue = queue
  }

  get isOver(): boolean {
    return this.after === this
  }

  stop(): void {
    if (this.isOver) return
    this.before.after = this.after
    this.after.before = this.before
    this.before = this
    this.after = this
    this.#queue.rest()
  }
}

/** A queue of waits of one length. The wait that ends first comes first. */
class Queue implements Link {
  before: Link = this
  after: Link = this
  readonly #slice: number
  #slices = 0
  /** The timer: an object in Node, and a number without `ref` and `unref` in other runtimes. */
  #timer: ReturnType<typeof setTimeout> | undefined
  #clock: typeof setTimeout | undefined

  constructor(milliseconds: number) {
    this.#slice = Math.min(milliseconds, MAX_MILLISECONDS) / SLICES
  }

  add(late: () => void): Wait {
    // Tests replace `setTimeout` and restore it. A timer of the other clock does not count.
    if (this.#timer === undefined || this.#clock !== setTimeout) {
      this.#wind()
      return new Waiting(this, this.#slices + SLICES, late)
    }
    if (this.after === this) this.#timer.ref?.()
    return new Waiting(this, this.#slices + SLICES + 1, late)
  }

  /**
   * Called when a wait has ended. If no wait is left, the timer no longer keeps the process alive,
   * but it runs until the end of its slice, because the next wait may begin soon.
   */
  rest(): void {
    if (this.after !== this) return
    if (sharesTimers) this.#timer?.unref?.()
    else clearTimeout(this.#timer)
  }

  #wind(): void {
    this.#clock = setTimeout
    const timer = setTimeout(() => {
      if (this.#timer === timer) this.#count()
    }, this.#slice)
    this.#timer = timer
  }

  #count(): void {
    this.#slices += 1
    this.#timer = undefined
    if (this.after === this) return
    this.#wind()
    const over: Waiting[] = []
    for (let one = this.after; one instanceof Waiting; one = one.after) {
      if (one.endsAt > this.#slices) break
      over.push(one)
    }
    // A response that arrived during the last slice is read first.
    if (over.length > 0) setImmediate(() => over.forEach(expire))
  }
}

function expire(waiting: Waiting): void {
  if (waiting.isOver) return
  waiting.stop()
  waiting.late()
}
