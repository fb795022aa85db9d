import { expect, test } from 'vitest'
import { EventWaits } from './event-waits.ts'

test('a partner has at most 2,000 waits, however many tokens it uses, and another one still waits', () => {
  const waits = new EventWaits()
  waits.listen(true)
  const begun = Array.from({ length: 2500 }, (_, token) => waits.begin(1, token))
  expect(waits.count).toBe(2000)
  waits.begin(2, 5000)
  expect(waits.count).toBe(2001)
  begun[0]!.end()
  waits.begin(1, 0)
  expect(waits.count).toBe(2001)
})
