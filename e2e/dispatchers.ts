import pino from 'pino'
import { afterEach } from 'vitest'
import type { Database } from '#db/client.ts'
import { parseCidrs } from '#server/protocol/ip-address.ts'
import type { Resolve } from '#server/protocol/resolve.ts'
import {
  type Dispatcher,
  type DispatcherOptions,
  startDispatcher,
} from '#server/webhooks/dispatcher/dispatcher.ts'
import { makeSafeFetch } from '#server/webhooks/dispatcher/safe-fetch.ts'
import { type Answer, type Receiver, startReceiver } from './receiver.ts'

/** What secrets are encrypted with where such a dispatcher runs. */
export const encryptionKey = Buffer.alloc(32, 1)

/** A dispatcher whose door leads to loopback. */
export interface TestDispatcher extends Dispatcher {
  /** Stops it, if it is not yet, and closes its door. */
  close(): Promise<void>
}

/** Starts a dispatcher that waits long for answers and not long between attempts, unless told otherwise. */
export function dispatcherOn(
  db: Database,
  {
    resolve = async () => ['127.0.0.1'],
    ...options
  }: Partial<DispatcherOptions> & { resolve?: Resolve } = {},
): TestDispatcher {
  const safeFetch = makeSafeFetch({ allowHttp: true, allowed: parseCidrs('127.0.0.0/8') }, resolve)
  const dispatcher = startDispatcher(db, {
    safeFetch,
    encryptionKey,
    leaseMs: 30_000,
    failingMs: 1e12,
    timeoutMs: 20_000,
    log: pino({ level: 'silent' }),
    retry: { scheduleMs: [0, ...Array<number>(20).fill(100)], throttleMs: 0 },
    ...options,
  })
  let stopped: Promise<void> | undefined
  const stop = (graceMs: number) => (stopped ??= dispatcher.stop(graceMs))
  return {
    stop,
    async close() {
      await stop(0)
      await safeFetch.close()
    },
  }
}

/** For a test file: what is kept, receivers that listen among it, is closed after each test, the last one first. */
export function closeAfterEach() {
  const opened: { close(): Promise<unknown> }[] = []
  afterEach(async () => {
    for (const each of opened.splice(0).toReversed()) await each.close()
  })
  function keep<T extends { close(): Promise<unknown> }>(each: T): T {
    opened.push(each)
    return each
  }
  const listen = async (answer?: Answer, tls?: { key: string; cert: string }): Promise<Receiver> =>
    keep(await startReceiver(answer, tls))
  return { keep, listen }
}
