import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DealVersion, type Difference, missingMax, reconcile, storedCountToRead } from './reconcile.ts'

const [early, late] = ['2026-03-01T17:20:05.000Z', '2026-03-01T17:20:05.001Z']
const at = (lastModified: string | null, ...ids: number[]): DealVersion[] =>
  ids.map((id) => ({ id: BigInt(id), lastModified }))
const nothing: Difference = { missing: [], stale: [], gone: [], next: null }

describe("a partner's copy", () => {
  test('has no differences if it matches, in any order', () => {
    expect(reconcile([], [])).toEqual(nothing)
    expect(reconcile(at(early, 3, 1, 2), at(early, 1, 2, 3))).toEqual(nothing)
    expect(reconcile(at(null, 1), at(null, 1))).toEqual(nothing)
  })

  test('is stale if a time differs by even a millisecond; null differs from any time', () => {
    const held = [...at(late, 1), ...at(null, 2), ...at(early, 3), ...at(null, 4), ...at(early, 5)]
    const stored = [...at(early, 1, 2), ...at(null, 3, 4), ...at(early, 5)]
    expect(reconcile(held, stored)).toEqual({ ...nothing, stale: [1n, 2n, 3n] })
  })

  test('distinguishes ids that are equal as doubles', () => {
    const [even, odd] = [9_007_199_254_740_992n, 9_007_199_254_740_993n]
    expect(reconcile([{ id: even, lastModified: null }], [{ id: odd, lastModified: null }])).toEqual({
      ...nothing,
      missing: [odd],
      gone: [even],
    })
  })
})

describe('a response with more missing deals than the limit', () => {
  const stored = at(early, ...Array(missingMax + 1).keys())

  test('ends at the last listed deal', () => {
    const { missing, next } = reconcile([], stored)
    expect([missing.length, missing.at(-1), next]).toEqual([missingMax, 999n, 999n])
    expect(reconcile([], stored.slice(1))).toMatchObject({ next: null, missing: { length: missingMax } })
  })
})

describe('the differences of any copy from any stored deals', () => {
  const time = fc.constantFrom(early, late, null)
  const versions = fc.uniqueArray(fc.record({ id: fc.bigInt({ min: -20n, max: 20n }), lastModified: time }), {
    selector: ({ id }) => id,
    maxLength: 30,
  })
  const ascending = (ids: Iterable<bigint>) => [...ids].toSorted((a, b) => Number(a - b))
  const most = fc.integer({ min: 1, max: 5 })

  /** Returns the expected difference, computed with sets, and the IDs that it covers. */
  function model(held: DealVersion[], stored: DealVersion[]) {
    const [copy, truth] = [held, stored].map(
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
      fc.property(versions, versions, most, (held, stored, most) => {
        const whole = model(held, stored)
        const { next, ...lists } = reconcile(held, readFor(held, stored, most), most)
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
      fc.property(versions, versions, most, (held, stored, most) => {
        const found = { missing: [] as bigint[], stale: [] as bigint[], gone: [] as bigint[] }
        for (let after: bigint | null = -100n; after !== null;) {
          const from: bigint = after
          const beyond = (deals: DealVersion[]) => deals.filter(({ id }) => id > from)
          const { next, ...lists } = reconcile(
            beyond(held),
            readFor(beyond(held), beyond(stored), most),
            most,
          )
          for (const name of ['missing', 'stale', 'gone'] as const) found[name].push(...lists[name])
          expect(next === null || next > from).toBe(true)
          after = next
        }
        expect(found).toEqual(model(held, stored))
      }),
      { seed: 20_260_301, numRuns: 1000 },
    )
  })
})
