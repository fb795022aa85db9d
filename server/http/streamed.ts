import { Refusal } from '../protocol/errors.ts'

/** Hands bytes to the reader of an answer; resolves when they are taken, rejects when the answer has ended before its end. */
export type Write = (bytes: Uint8Array) => Promise<void>

/** How long a reader may take nothing, and how long an answer may take in all. */
export const patience = { idleMs: 30_000, totalMs: 600_000 }

// A slow reader takes at least one piece within `idleMs`: half a kilobyte a second.
const pieceBytes = 16 * 1024

/**
 * Streams what `produce` writes, as fast as it is taken. `produce` alone holds what it takes to make the answer: each way in which
 * the answer can end (the client goes, the reader cancels or takes nothing, time is up) makes its `write` reject, so that its
 * `finally` runs even where nobody reads the stream. Resolves when there is something to send; rejects when `produce` fails before.
 */
export async function streamed(
  request: Request,
  produce: (write: Write) => Promise<void>,
  { idleMs, totalMs } = patience,
): Promise<ReadableStream<Uint8Array>> {
  const started = Promise.withResolvers<void>()
  let failure: unknown = null
  let isWanted = false
  let waiting: PromiseWithResolvers<void> | null = null
  let controller!: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
      },
      pull() {
        isWanted = true
        waiting?.resolve()
      },
      cancel: () => stop(gone()),
    },
    { highWaterMark: 0 },
  )

  function stop(why: unknown): void {
    failure ??= why
    waiting?.reject(failure)
  }

  async function write(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      if (failure !== null) throw failure
      started.resolve()
      if (!isWanted) await untilWanted()
      isWanted = false
      controller.enqueue(bytes.subarray(start, start + pieceBytes))
    }
  }

  async function untilWanted(): Promise<void> {
    waiting = Promise.withResolvers()
    const idle = setTimeout(() => stop(stalled()), idleMs)
    try {
      await waiting.promise
    } finally {
      clearTimeout(idle)
      waiting = null
    }
  }

  async function run(): Promise<void> {
    const leave = () => stop(gone())
    const deadline = setTimeout(() => stop(overdue()), totalMs)
    request.signal.addEventListener('abort', leave)
    try {
      if (request.signal.aborted) throw gone()
      await produce(write)
      if (failure === null) controller.close()
    } catch (error) {
      // What else `produce` has begun must not wait for a reader either.
      stop(error)
      // Without the reason, which may quote data; by this name Next cuts the connection without a word in the log.
      controller.error(new DOMException('The answer was cut short', 'AbortError'))
      throw error
    } finally {
      clearTimeout(deadline)
      // Named here so that the request is kept until now: its signal is dead once it is collected.
      request.signal.removeEventListener('abort', leave)
    }
  }

  await Promise.race([started.promise, run()])
  return body
}

const gone = () => new Refusal('REQUEST_TIMEOUT', 'The client has gone')
const stalled = () => new Refusal('REQUEST_TIMEOUT', 'The client has stopped reading')
const overdue = () => new Refusal('REQUEST_TIMEOUT', 'The answer took too long')
