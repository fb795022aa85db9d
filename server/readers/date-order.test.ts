import { expect, test } from 'vitest'
import { dateOrderOf } from './date-order.ts'

const order = (...dates: string[]) => dateOrderOf([{ title: 'Permit', dates }])

test.each([
  [['3/25/2026', '3/4/2026'], false, true],
  [['25/3/2026', '3/4/2026'], true, true],
  [['25/3/26 17:20', '4/3/26'], true, true],
  [['3/4/2026', '12/11/2026'], false, false],
  [['25/3/2026', '3/25/2026'], false, true],
  [['3/3/2026'], false, false],
])('the dates %j are day first: %s, and decisive: %s', (dates, dayFirst, isSure) =>
  expect(order(...dates)).toMatchObject({ dayFirst, isSure }),
)

test('uses the first date that the other order would change as the example', () => {
  expect(order('3/25/2026', '5/5/2026', '3/4/2026', '1/2/2026')?.example).toEqual({
    title: 'Permit',
    text: '3/4/2026',
    days: { monthFirst: '2026-03-04', dayFirst: '2026-04-03' },
  })
  expect(order('3/25/2026')?.example).toBeNull()
})

test('other dates and text imply no order', () => {
  expect(order('2026-03-04', '2026/3/4', '3/4', 'see 3/4/2026', '3/4/2026 '.repeat(2000))).toBeNull()
  expect(dateOrderOf([])).toBeNull()
})
