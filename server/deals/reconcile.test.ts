import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeIssues } from '../errors.ts'
import { int64Max, int64Min, parseJson } from '../values/int64.ts'
import { type DealVersion, missingMax, reconcile, storedCountToRead, ReconcileDeals } from './reconcile.ts'

const read = (json: string) => ReconcileDeals.parse(parseJson(json))

function refused(json: string): string[] {
  const { error } = ReconcileDeals.safeParse(parseJson(json))
  return describeIssues(error!)
}

const notInt64 = 'must be an integer from -9223372036854775808 to 9223372036854775807'
const notTime = 'must be an ISO 8601 date-time with a time zone, such as 2026-03-01T17:20:05.000Z'

describe('a posted copy', () => {
  test('keeps every digit of its ids', () => {
    expect(
      read(
        '{"deals":[{"id":9223372036854775807},{"id":-9223372036854775808},{"id":9007199254740993},{"id":-0}]}',
      ).deals.map(({ id }) => id),
    ).toEqual([int64Max, int64Min, 9_007_199_254_740_993n, 0n])
    expect(read('{"deals":[],"after":-9223372036854775808,"upTo":9223372036854775807}')).toEqual({
      deals: [],
      after: int64Min,
      upTo: int64Max,
    })
  })

  test('may omit its bounds or set them to null', () => {
    expect(read('{"deals":[]}')).toEqual({ deals: [] })
    expect(read('{"deals":[],"after":null,"upTo":null}')).toEqual({ deals: [], after: null, upTo: null })
  })

  test.each([
    ['"2026-03-01T17:20:05.000Z"', '2026-03-01T17:20:05.000Z'],
    ['"2026-03-01T10:20:05-07:00"', '2026-03-01T17:20:05.000Z'],
    ['"2026-03-01T17:20Z"', '2026-03-01T17:20:00.000Z'],
    ['"2026-03-01T17:20:05.1239999+00:00"', '2026-03-01T17:20:05.123Z'],
    ['null', null],
  ])('accepts the instant %s', (json, lastModified) =>
    expect(read(`{"deals":[{"id":1,"lastModified":${json}}]}`).deals).toEqual([{ id: 1n, lastModified }]),
  )

  test('drops unknown keys', () => {
    expect(
      read('{"x":1,"__proto__":{"after":5},"deals":[{"id":1,"__proto__":{"lastModified":"x"},"stage":{}}]}'),
    ).toEqual({ deals: [{ id: 1n }] })
  })
})

/** Parts of a copy that are rejected, where they stand and the error. */
const rejected: [parts: string[], copy: (part: string) => string, ...errors: string[]][] = [
  [['null', '[]', '"x"', '1', 'true', '9223372036854775808'], (part) => part, 'must be an object'],
  [
    ['null', '{}', '"[]"', '{"length":2000}', `"${'x'.repeat(2000)}"`],
    (part) => `{"deals":${part}}`,
    'deals: must be an array',
  ],
  [['{}', '{"__proto__":{"deals":[]}}'], (part) => part, 'deals: must be an array'],
  [['null', '[]', '1', '"1"'], (part) => `{"deals":[{"id":1},${part}]}`, 'deals.1: must be an object'],
  [
    ['"1"', '1.5', '9223372036854775808', '-9223372036854775809', '1e19', 'null', 'true', '[1]', '{}'],
    (part) => `{"deals":[{"id":1},{"id":2},{"id":3},{"id":${part}}]}`,
    `deals.3.id: ${notInt64}`,
  ],
  [
    ['{"lastModified":null}', '{"__proto__":{"id":1}}'],
    (part) => `{"deals":[${part}]}`,
    `deals.0.id: ${notInt64}`,
  ],
  [
    ['"1"', '1.5', '9223372036854775808', 'true', '[1]', '{}'],
    (part) => `{"deals":[],"upTo":${part},"after":${part}}`,
    `after: ${notInt64}`,
    `upTo: ${notInt64}`,
  ],
  [
    [
      '"2026-03-01"',
      '"2026-03-01T17:20:05"',
      '"2026-02-30T00:00:00Z"',
      '""',
      '1772385605000',
      'true',
      '{}',
      '["2026-03-01T17:20:05.000Z"]',
    ],
    (part) => `{"deals":[{"id":1,"lastModified":${part}}]}`,
    `deals.0.lastModified: ${notTime}`,
  ],
]

describe('a posted copy is rejected', () => {
  test.each(
    rejected.flatMap(([parts, copy, ...errors]) => parts.map((part) => [copy(part), ...errors] as const)),
  )('%s', (json, ...errors) => expect(refused(json)).toEqual(errors))

  test('with a repeated id, or an id outside the bounds', () => {
    expect(refused('{"deals":[{"id":5},{"id":6},{"id":5},{"id":5.0}]}')).toEqual([
      'deals.2.id: must not come twice',
      'deals.3.id: must not come twice',
    ])
    expect(refused('{"deals":[{"id":4},{"id":5},{"id":6},{"id":7},{"id":8}],"after":5,"upTo":7}')).toEqual([
      'deals.0.id: must be greater than after',
      'deals.1.id: must be greater than after',
      'deals.4.id: must not be greater than upTo',
    ])
    expect(refused('{"deals":[],"after":5,"upTo":4}')).toEqual(['upTo: must not be less than after'])
    expect(read('{"deals":[],"after":5,"upTo":5}')).toEqual({ deals: [], after: 5n, upTo: 5n })
  })

  test('with more than 1,000 deals, before reading any', () => {
    const deals = (count: number) =>
      JSON.stringify({ deals: Array.from({ length: count }, (_, id) => ({ id })) })
    expect(read(deals(1000)).deals).toHaveLength(1000)
    expect(refused(deals(1001))).toEqual(['deals: must have at most 1000 items'])
    const started = performance.now()
    expect(refused(`{"deals":[${'0,'.repeat(500_000)}0]}`)).toEqual(['deals: must have at most 1000 items'])
    expect(performance.now() - started).toBeLessThan(1000)
  })

  test('with very many errors, of which the first are listed', () => {
    expect(refused(`{"deals":[${'"x",'.repeat(999)}"x"]}`)).toEqual([
      ...Array.from({ length: 19 }, (_, at) => `deals.${at}: must be an object`),
      'and 981 more',
    ])
  })
})

const [early, late] = ['2026-03-01T17:20:05.000Z', '2026-03-01T17:20:05.001Z']

test('a response with more than 1,000 missing deals ends at the last listed one', () => {
  const stored = Array.from({ length: missingMax + 1 }, (_, id) => ({ id: BigInt(id), lastModified: early }))
  const { missing, next } = reconcile([], stored)
  expect([missing.length, missing.at(-1), next]).toEqual([1000, 999n, 999n])
  expect(reconcile([], stored.slice(1))).toMatchObject({ next: null, missing: { length: 1000 } })
})

describe('the differences of any copy from any stored deals', () => {
  const time = fc.constantFrom(early, late, null)
  // Equal as doubles.
  const alike = fc.constantFrom(2n ** 53n, 2n ** 53n + 1n)
  const versions = fc.uniqueArray(
    fc.record({ id: fc.oneof(fc.bigInt({ min: -20n, max: 20n }), alike), lastModified: time }),
    {
      selector: ({ id }) => id,
      maxLength: 30,
    },
  )
  const ascending = (ids: Iterable<bigint>) => [...ids].toSorted((a, b) => (a < b ? -1 : 1))
  const most = fc.integer({ min: 1, max: 5 })

  /** Returns the expected difference, computed with sets, and the IDs that it covers. */
  function model(copied: DealVersion[], stored: DealVersion[]) {
    const [copy, truth] = [copied, stored].map(
      (deals) => new Map(deals.map(({ id, lastModified }) => [id, lastModified])),
    ) as [Map<bigint, string | null>, Map<bigint, string | null>]
    const [copyIds, truthIds] = [new Set(copy.keys()), new Set(truth.keys())]
    return {
      missing: ascending(truthIds.difference(copyIds)),
      gone: ascending(copyIds.difference(truthIds)),
      stale: ascending(copyIds.intersection(truthIds)).filter((id) => copy.get(id) !== truth.get(id)),
    }
  }

  /** Returns the stored deals that are read to compare this copy. */
  const readFor = (held: DealVersion[], stored: DealVersion[], most: number) =>
    stored.toSorted((a, b) => Number(a.id - b.id)).slice(0, storedCountToRead(held.length, most))

  test('equal the set differences, up to the end of the response', () => {
    fc.assert(
      fc.property(versions, versions, most, (copied, stored, most) => {
        const whole = model(copied, stored)
        const { next, ...lists } = reconcile(copied, readFor(copied, stored, most), most)
        expect(next).toBe(whole.missing.length > most ? whole.missing[most - 1] : null)
        const upToNext = (ids: bigint[]) => ids.filter((id) => next === null || id <= next)
        expect(lists).toEqual({
          missing: upToNext(whole.missing),
          stale: upToNext(whole.stale),
          gone: upToNext(whole.gone),
        })
      }),
      { seed: 20_260_301, numRuns: 1000 },
    )
  })

  test('can be paged with `next`, each id once', () => {
    fc.assert(
      fc.property(versions, versions, most, (copied, stored, most) => {
        const found = { missing: [] as bigint[], stale: [] as bigint[], gone: [] as bigint[] }
        for (let after: bigint | null = -100n; after !== null;) {
          const from: bigint = after
          const beyond = (deals: DealVersion[]) => deals.filter(({ id }) => id > from)
          const { next, ...lists } = reconcile(
            beyond(copied),
            readFor(beyond(copied), beyond(stored), most),
            most,
          )
          for (const name of ['missing', 'stale', 'gone'] as const) found[name].push(...lists[name])
          expect(next === null || next > from).toBe(true)
          after = next
        }
        expect(found).toEqual(model(copied, stored))
      }),
      { seed: 20_260_301, numRuns: 1000 },
    )
  })
})
