import { ApiError } from '../errors.ts'

/**
 * Writes bytes to a response. Resolves when the client has read the bytes; rejects if the response ends
 * early.
 */
export type Write = (bytes: Uint8Array) => Promise<void>

/** Maximum time in which a client reads nothing, and maximum duration of a response. */
export const readerTimeouts = { idleMs: 30_000, totalMs: 600_000 }

// A client must read one piece within `idleMs`, which is half a kilobyte per second.
const pieceBytes = 16 * 1024

/**
 * Streams the bytes that `produce` writes, no faster than the client reads. If the response ends early, for
 * whatever reason, `write` rejects, so that `produce` can release its resources. Resolves when the first
 * bytes are written; rejects if `produce` fails before that.
 */
export async function streamed(
  request: Request,
  produce: (write: Write) => Promise<void>,
  { idleMs, totalMs } = readerTimeouts,
): Promise<ReadableStream<Uint8Array>> {
  const outlet = makeOutlet(idleMs)

  async function run(): Promise<void> {
    const leave = () => outlet.stop(gone())
    const deadline = setTimeout(() => outlet.stop(overdue()), totalMs)
    request.signal.addEventListener('abort', leave)
    try {
      if (request.signal.aborted) throw gone()
      await produce(outlet.write)
      outlet.close()
    } catch (error) {
      outlet.cut(error)
      throw error
    } finally {
      clearTimeout(deadline)
      // Also keeps the request in memory: if the request were garbage-collected, its signal would never fire.
      request.signal.removeEventListener('abort', leave)
    }
  }

  await Promise.race([outlet.started, run()])
  return outlet.body
}

/** Returns a stream to which data is written only as fast as the client reads. */
function makeOutlet(idleMs: number) {
  const started = Promise.withResolvers<void>()
  let failure: unknown = null
  let isWanted = false
  let waiting: PromiseWithResolvers<void> | null = null
  let controller!: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>(
    {
      start(started) {
        controller = started
      },
      pull() {
        isWanted = true
        waiting?.resolve()
      },
      cancel: () => stop(gone()),
    },
    { highWaterMark: 0 },
  )

  /** Makes the pending write and all later writes reject. */
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

  function close(): void {
    if (failure === null) controller.close()
  }

  /** Aborts the stream, and rejects the pending write. */
  function cut(why: unknown): void {
    stop(why)
    // Hides the reason, which may quote data. For errors with this name, Next.js closes the connection and
    // logs nothing.
    controller.error(new DOMException('The response was cut short', 'AbortError'))
  }

  return { body, started: started.promise, write, stop, close, cut }
}

const gone = () => new ApiError('REQUEST_TIMEOUT', 'The client disconnected')
const stalled = () => new ApiError('REQUEST_TIMEOUT', 'The client stopped reading')
const overdue = () => new ApiError('REQUEST_TIMEOUT', 'The response took too long')
