import { oneAtATime } from './one-at-a-time.ts'

/** A lease renewed while its work runs. */
export interface RenewedLease {
  /** Aborted when the lease is lost. */
  lost: AbortSignal
  /** Stops renewing it; resolves when no renewal is running. */
  end(): Promise<void>
}

/** Renews a lease every `everyMs`, one renewal at a time, until it ends or `renew` returns false. */
export function startRenewing(everyMs: number, renew: () => Promise<boolean>): RenewedLease {
  const lost = new AbortController()
  let renewing = Promise.resolve()
  const renewOnce = oneAtATime(async () => {
    if (await renew()) return
    clearInterval(timer)
    lost.abort()
  })
  const timer = setInterval(() => {
    // The next renewal makes up for a failed one, unless another process has taken the lease.
    renewing = renewOnce().catch(() => {})
  }, everyMs)
  return {
    lost: lost.signal,
    async end() {
      clearInterval(timer)
      await renewing
    },
  }
}
