import { expect, test } from 'vitest'
import { announcedIn } from './hubspot-webhook.ts'

const announced = (events: unknown) => announcedIn(Buffer.from(JSON.stringify(events)))
const event = (subscriptionType: string, rest: object) => ({
  eventId: 1,
  portalId: 2,
  subscriptionType,
  ...rest,
})

test('names each deal of a batch once, where a removal overrides a change', () => {
  expect(
    announced([
      event('deal.propertyChange', { objectId: 11, propertyName: 'amount', propertyValue: '5' }),
      event('deal.creation', { objectId: 12 }),
      event('deal.deletion', { objectId: 11 }),
      event('deal.propertyChange', { objectId: 11 }),
      event('deal.privacyDeletion', { objectId: '13' }),
      event('deal.restore', { objectId: 14 }),
    ]),
  ).toEqual([
    { id: 11n, isRemoval: true },
    { id: 12n, isRemoval: false },
    { id: 13n, isRemoval: true },
    { id: 14n, isRemoval: true },
  ])
})

test('names the deals of a merge: the merged ones, the remaining and a new one', () => {
  const merge = { objectId: 21, primaryObjectId: 21, mergedObjectIds: [22, '23', 21], newObjectId: 24 }
  expect(announced([event('deal.merge', merge)]).map(({ id }) => id)).toEqual([21n, 24n, 22n, 23n])
})

test('reads generic deal subscriptions, and ids beyond 2^53', () => {
  const body = '{"subscriptionType":"object.deletion","objectTypeId":"0-3","objectId":9007199254740993}'
  expect(announcedIn(Buffer.from(body))).toEqual([{ id: 9_007_199_254_740_993n, isRemoval: true }])
})

test('ignores other objects and events, invalid ids and malformed bodies', () => {
  expect(
    announced([
      event('contact.deletion', { objectId: 31 }),
      event('object.deletion', { objectTypeId: '0-1', objectId: 31 }),
      event('deal.associationChange', { objectId: 31, fromObjectId: 31 }),
      event('deal.deletion', { objectId: -5 }),
      event('deal.deletion', { objectId: 'x' }),
      event('deal.deletion', { objectId: 1.5 }),
      event('deal.deletion', {}),
      event('deal.merge', { mergedObjectIds: 'x' }),
      null,
      7,
    ]),
  ).toEqual([])
  for (const body of ['', '{', 'null', '"x"']) expect(announcedIn(Buffer.from(body))).toEqual([])
})

test('names at most a thousand deals', () => {
  const mergedObjectIds = Array.from({ length: 5000 }, (_, index) => index + 1)
  expect(announced([event('deal.merge', { mergedObjectIds })])).toHaveLength(1000)
})
