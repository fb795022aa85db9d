import { expect, test } from 'vitest'
import { EventWaits } from './event-waits.ts'

test('limits a partner to 2,000 waits, and always leaves room for others', () => {
  const waits = new EventWaits()
  waits.listen(true)
  const begun = Array.from({ length: 2500 }, (_, token) => waits.begin(1, token))
  expect(waits.count).toBe(2000)
  waits.begin(2, 5000)
  expect(waits.count).toBe(2001)
  begun[0]!.end()
  waits.begin(1, 0)
  expect(waits.count).toBe(2001)
  for (let token = 0; token < 2500; token++)
    [2, 3].map((partnerId) => waits.begin(partnerId, partnerId * 10_000 + token))
  expect(waits.count).toBe(5000)
  const late = Array.from({ length: 2500 }, (_, token) => waits.begin(4, 40_000 + token))
  expect(waits.count).toBe(5000)
  for (const wait of late) wait.end()
  // A quarter of the 5,000 waits belonged to partner 4.
  expect(waits.count).toBe(3750)
})
