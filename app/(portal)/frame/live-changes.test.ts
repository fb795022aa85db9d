import { afterEach, expect, test, vi } from 'vitest'
import { followWhileVisible } from './live-changes.tsx'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test.each<[string, () => Promise<number | null>, boolean]>([
  ['a deal changed', async () => 5000, true],
  ['deals only changed before the page was read', async () => 90_000, false],
  ['no deal ever changed', async () => null, false],
  ['the check fails', () => Promise.reject(new Error('offline')), true],
])('a page that returns after an outage asks whether it missed changes: %s', async (_, query, hasDeals) => {
  const streams: (EventTarget & { url: string; close: () => void })[] = []
  vi.stubGlobal('EventSource', function EventSource(url: string) {
    const stream = Object.assign(new EventTarget(), { url, close: vi.fn<() => void>() })
    streams.push(stream)
    return stream
  })
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }))
  vi.stubGlobal('window', new EventTarget())
  vi.useFakeTimers({ toFake: ['Date'], now: Math.round(performance.timeOrigin) + 60_000 })
  const missed = vi.fn<(hasDeals: boolean) => void>()
  const stop = followWhileVisible({ deals: { age: { query } } }, { message: vi.fn(), missed })
  // A second more than a minute, because the data may be older than the document.
  expect(streams.map(({ url }) => url)).toEqual(['/live?age=61000'])
  streams[0]!.dispatchEvent(new Event('stale'))
  await vi.waitFor(() => expect(missed.mock.calls).toEqual([[hasDeals]]))
  stop()
  expect(streams[0]!.close).toHaveBeenCalled()
})
