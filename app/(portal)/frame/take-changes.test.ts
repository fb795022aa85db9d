import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import type { LiveMessage } from '#server/live/wire.ts'
import { type PageChanges, anything, changesFor, makeTaker, misplaced } from './take-changes.ts'

const message = { deals: { 3: ['1', '2'], 4: null, 0: ['9'] }, deliveries: [4] }
const nothing = { deals: new Set(), hasDeliveries: false, hasMessages: false, hasNotifications: false }

test.each<[string, LiveMessage, number | null, Partial<PageChanges> | null]>([
  ['its own deals', message, 3, { deals: new Set(['1', '2']) }],
  ['many deals and deliveries', message, 4, { deals: null, hasDeliveries: true }],
  ['another partner', message, 5, null],
  ['all partners', message, null, { deals: null, hasDeliveries: true }],
  [
    'few deals of all partners',
    { deals: { 3: ['1'], 0: ['9'] }, deliveries: [] },
    null,
    { deals: new Set(['1', '9']) },
  ],
  ['notifications', { deals: {}, deliveries: [], notifications: [7] }, 4, { hasNotifications: true }],
  ['messages', { deals: {}, deliveries: [], messages: [4] }, 4, { hasMessages: true }],
  ['messages of any partner', { deals: {}, deliveries: [], messages: [4] }, null, { hasMessages: true }],
  ['messages of another partner', { deals: {}, deliveries: [], messages: [4] }, 3, null],
  ['deliveries', { deals: {}, deliveries: [4] }, 4, { hasDeliveries: true }],
])('finds the changes that concern a page: %s', (_, received, partnerId, changes) => {
  expect(changesFor(received, partnerId)).toEqual(changes && { ...nothing, ...changes })
})

test('detects deals that should appear, move or disappear in a list', () => {
  const row = (id: bigint, key: unknown) => ({ id, key })
  const shown = [row(1n, 'b'), row(2n, 'a'), row(3n, null), row(4n, 'c')]
  const now = [row(1n, 'b'), row(2n, 'z'), row(3n, null), row(5n, 'n'), row(6n, 'o')]
  const asked = new Set(['1', '2', '3', '4', '5', '6'])
  expect(misplaced(shown, now, [1n, 2n, 5n], asked)).toEqual(['2', '3', '4', '5'])
})

test('a list that is loading while deals change is compared when it has loaded', async () => {
  const page = { value: () => ({ deals: [{ id: 1n }], matching: [1n], next: null }) }
  const loading = Promise.withResolvers<typeof page>()
  const queryClient = new QueryClient()
  const observer = new InfiniteQueryObserver(queryClient, {
    queryKey: [['deals', 'find'], { input: { fields: [] }, type: 'infinite' }],
    queryFn: () => loading.promise,
    initialPageParam: null,
    getNextPageParam: () => null,
  })
  const leave = observer.subscribe(() => {})
  const query = vi.fn(async () => page)
  const found = vi.fn<(deals: string[] | null) => void>()
  const taker = makeTaker(queryClient, { deals: { find: { query }, refresh: { query } } } as never, found)
  taker.take(anything)
  setTimeout(() => loading.resolve(page), 20)
  await vi.waitFor(() => expect(found.mock.calls).toEqual([[[]]]))
  taker.stop()
  leave()
})
