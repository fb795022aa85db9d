import { setTimeout as sleep } from 'node:timers/promises'
import { type Started, start, waitUntil } from './process.ts'

/** A running receiver of events. */
export interface Receiver {
  /** The path where each event is accepted at once. */
  answering: string
  /** The path that never responds. */
  silent: string
  /** Clears the received events. */
  reset(): Promise<void>
  /** Waits for this many distinct events while `worker` runs. Returns the rate from first to last. */
  perS(events: number, worker: Started): Promise<number>
}

// Rare enough to cost nothing.
const lookMs = 200

// Ten times the expected time.
const patienceMs = 200_000

/** Starts a receiver in its own process. */
export async function startReceiver(stack: AsyncDisposableStack): Promise<Receiver> {
  const receiver = start(stack, process.execPath, ['e2e/bench/receiver.ts'], {}, [
    'ignore',
    'pipe',
    'inherit',
  ])
  await waitUntil(receiver, 'The receiver', async () => receiver.output().stdout.endsWith('\n'))
  const url = receiver.output().stdout.trim()

  return {
    answering: `${url}/events`,
    silent: `${url}/silent`,
    async reset() {
      await fetch(url, { method: 'DELETE' })
    },
    async perS(events, worker) {
      const deadline = performance.now() + patienceMs
      for (;;) {
        const came = (await (await fetch(url)).json()) as { messages: number; ms: number }
        if (came.messages >= events) return (came.messages / came.ms) * 1000
        if (worker.child.exitCode !== null) throw new Error(`The worker ended\n${worker.output().stderr}`)
        if (performance.now() > deadline) throw new Error(`Only ${came.messages} of ${events} events came`)
        await sleep(lookMs)
      }
    },
  }
}
