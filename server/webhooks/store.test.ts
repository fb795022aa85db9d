import { describe, expect, test } from 'vitest'
import { failure, outcomeOf } from '#e2e/delivery-queue.ts'
import { openQueue } from '#e2e/dispatchers.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { readEndpointUrls, readEndpoints, switchOn, writeEndpoints } from './store.ts'

const { db, makeId, makeIds, makePartner, change, lease, record, queue } = await openQueue()

const [create, update, other] = [
  'https://a.example/created',
  'https://a.example/updated',
  'https://b.example/',
]

/** Returns a partner with two events for the first URL, which responds with 410. */
async function makeGone(urls: { create: string; update: string }): Promise<PartnerId> {
  const partnerId = await makePartner(urls)
  await change(partnerId, ...makeIds(2))
  await record(...(await lease(partnerId, 'create')).map((each) => outcomeOf(each, failure(3_600_000, 410))))
  return partnerId
}

const health = async (partnerId: PartnerId) =>
  (await readEndpoints(db, partnerId)).map(({ failingSince, switchedOffBecause }) => [
    failingSince !== null,
    switchedOffBecause,
  ])
const [well, gone] = [
  [false, null],
  [true, 'gone'],
]
/** Returns the URL and the number of attempts of each delivery that can be leased. */
const leasable = async (partnerId: PartnerId) =>
  (await lease(partnerId, 'create')).map(({ url, step }) => [url, step])

describe('the URLs of a partner', () => {
  test('are empty at first; given URLs are set or cleared, and omitted URLs stay', async () => {
    const [partnerId, neighbour] = [await makePartner(), await makePartner({ create, update })]
    expect(await readEndpointUrls(db, partnerId)).toEqual({ create: null, update: null })
    for (const [urls, expected] of [
      [{ create }, { create, update: null }],
      [{ update }, { create, update }],
      [
        { create: other, update: null },
        { create: other, update: null },
      ],
      [{}, { create: other, update: null }],
      [
        { create: null, update: null },
        { create: null, update: null },
      ],
    ] as const) {
      expect(await writeEndpoints(db, partnerId, urls)).toEqual(expected)
      expect(await readEndpointUrls(db, partnerId)).toEqual(expected)
    }
    expect(await readEndpoints(db, partnerId)).toEqual([])
    expect(await readEndpointUrls(db, neighbour)).toEqual({ create, update })
  })

  test('of a suspended partner stay off', async () => {
    const partnerId = await makePartner({ create })
    await db.$client`update endpoints set switched_off_at = now(), switched_off_because = 'suspended' where partner_id = ${partnerId}`
    await writeEndpoints(db, partnerId, { create: other, update })
    expect(await switchOn(db, partnerId, 'create')).toBe(true)
    expect(await health(partnerId)).toEqual([[false, 'suspended'], well])
  })

  test('end as one of several concurrent changes, and each caller gets the state it stored', async () => {
    const partnerId = await makePartner()
    const wanted = Array.from({ length: 12 }, (_, at) => ({
      create: at % 3 === 0 ? null : `https://a.example/${at}`,
      update: at % 4 === 0 ? null : `https://a.example/${at}`,
    }))
    expect(await Promise.all(wanted.map((urls) => writeEndpoints(db, partnerId, urls)))).toEqual(wanted)
    expect(wanted).toContainEqual(await readEndpointUrls(db, partnerId))
  })
})

describe('a disabled endpoint', () => {
  test.each<[string, string, (partnerId: PartnerId) => Promise<unknown>]>([
    ['setting its URL', other, (partnerId) => writeEndpoints(db, partnerId, { create: other })],
    ['enabling it', create!, (partnerId) => switchOn(db, partnerId, 'create')],
  ])('is healthy and gets its waiting deliveries after %s', async (_what, url, act) => {
    const partnerId = await makeGone({ create, update })
    expect(await health(partnerId)).toEqual([gone, well])
    expect(await leasable(partnerId)).toEqual([])
    await act(partnerId)
    expect(await health(partnerId)).toEqual([well, well])
    expect(await leasable(partnerId)).toEqual([
      [url, 1],
      [url, 1],
    ])
  })

  test('is enabled together with the other endpoint only if both have the same URL', async () => {
    const same = await makeGone({ create, update: create })
    expect(await health(same)).toEqual([gone, gone])
    await switchOn(db, same, 'update')
    expect(await health(same)).toEqual([well, well])
    const apart = await makeGone({ create, update })
    await switchOn(db, apart, 'update')
    expect(await health(apart)).toEqual([gone, well])
  })

  test('cannot be enabled if its URL is not set; enabling an active endpoint changes nothing', async () => {
    const partnerId = await makePartner({ create })
    await change(partnerId, makeId())
    await record(outcomeOf((await lease(partnerId, 'create'))[0]!))
    const before = await queue(partnerId)
    expect(await switchOn(db, partnerId, 'create')).toBe(true)
    expect(await queue(partnerId)).toEqual(before)
    expect(await switchOn(db, partnerId, 'update')).toBe(false)
    expect(await readEndpointUrls(db, partnerId)).toEqual({ create, update: null })
  })
})
