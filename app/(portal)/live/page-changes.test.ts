import { describe, expect, test } from 'vitest'
import { changesFor, misplaced } from './page-changes.ts'

describe('the changes of a message', () => {
  const message = { deals: { 3: ['1', '2'], 4: null, 0: ['9'] }, deliveries: [4] }

  test('for a partner are limited to its own deals', () => {
    expect(changesFor(message, 3)).toEqual({
      deals: new Set(['1', '2']),
      hasDeliveries: false,
      hasMessages: false,
      hasNotifications: false,
    })
    expect(changesFor(message, 4)).toEqual({
      deals: null,
      hasDeliveries: true,
      hasMessages: false,
      hasNotifications: false,
    })
    expect(changesFor(message, 5)).toBe(null)
  })

  test('for all partners include the changes of each', () => {
    expect(changesFor(message, null)).toEqual({
      deals: null,
      hasDeliveries: true,
      hasMessages: false,
      hasNotifications: false,
    })
    expect(changesFor({ deals: { 3: ['1'], 0: ['9'] }, deliveries: [] }, null)).toEqual({
      deals: new Set(['1', '9']),
      hasDeliveries: false,
      hasMessages: false,
      hasNotifications: false,
    })
  })

  test('name no deals if only the user’s notifications changed', () => {
    expect(changesFor({ deals: {}, deliveries: [], notifications: [7] }, 4)).toEqual({
      deals: new Set(),
      hasDeliveries: false,
      hasMessages: false,
      hasNotifications: true,
    })
  })

  test('name no deals if only messages changed, and concern their partner', () => {
    const ofMessages = { deals: {}, deliveries: [], messages: [4] }
    const changes = {
      deals: new Set(),
      hasDeliveries: false,
      hasMessages: true,
      hasNotifications: false,
    }
    expect(changesFor(ofMessages, 4)).toEqual(changes)
    expect(changesFor(ofMessages, null)).toEqual(changes)
    expect(changesFor(ofMessages, 3)).toBe(null)
  })

  test('name no deals if only deliveries changed', () => {
    expect(changesFor({ deals: {}, deliveries: [4] }, 4)).toEqual({
      deals: new Set(),
      hasDeliveries: true,
      hasMessages: false,
      hasNotifications: false,
    })
  })
})

test('misplaced deals would appear, move or disappear in a list', () => {
  const row = (id: bigint, key: unknown) => ({ id, key })
  const shown = [row(1n, 'b'), row(2n, 'a'), row(3n, null), row(4n, 'c')]
  const now = [row(1n, 'b'), row(2n, 'z'), row(3n, null), row(5n, 'n'), row(6n, 'o')]
  const asked = new Set(['1', '2', '3', '4', '5', '6'])
  expect(misplaced(shown, now, [1n, 2n, 5n], asked)).toEqual(['2', '3', '4', '5'])
})
