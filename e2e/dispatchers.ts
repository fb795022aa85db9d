import pino from 'pino'
import { afterEach } from 'vitest'
import type { Database } from '#db/client.ts'
import { parseCidrs } from '#server/net/ip-address.ts'
import type { Resolve } from '#server/net/resolve.ts'
import {
  type Dispatcher,
  type DispatcherOptions,
  startDispatcher,
} from '#server/webhooks/dispatcher/dispatcher.ts'
import { makeSafeFetch } from '#server/webhooks/dispatcher/safe-fetch.ts'
import { type Answer, type Receiver, startReceiver } from './receiver.ts'

/** Encryption key of all test dispatchers. */
export const encryptionKey = Buffer.alloc(32, 1)

/** A dispatcher that may connect to loopback addresses. */
export interface TestDispatcher extends Dispatcher {
  /** Stops the dispatcher if it is running, and closes its connections. */
  close(): Promise<void>
}

/** Starts a dispatcher. By default, it waits long for responses but only briefly between attempts. */
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
    endpointCount: dispatcher.endpointCount,
    stop,
    async close() {
      await stop(0)
      await safeFetch.close()
    },
  }
}

/**
 * For test files: returns functions that open resources, such as receivers. After each test, the resources
 * are closed in reverse order.
 */
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
