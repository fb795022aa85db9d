import { expect, test } from 'vitest'
import { ColumnTally } from './column.ts'

function tallied(...values: string[]): ColumnTally {
  const tally = new ColumnTally()
  for (const value of values) tally.add(value)
  return tally
}

test.each([
  [['36.739,00', '5'], { sign: ',', isOpen: false }],
  [['18.400,50', '22.010'], { sign: ',', isOpen: false }],
  [['$0.40', '25.200'], { sign: '.', isOpen: false }],
  [['25.200', '31.050'], { sign: '.', isOpen: true, example: '25.200' }],
  [['$25,200', '$31,050'], { sign: '.', isOpen: false }],
  [['1,5', '1.5'], { sign: '.', isOpen: false }],
  [['1,5', '1.5', '25.200'], { sign: '.', isOpen: true, example: '25.200' }],
] as const)('decides the decimal sign of %j', (values, decided) =>
  expect(tallied(...values).decimal()).toMatchObject(decided),
)

test.each([[['25200', '5']], [['Phoenix']], [[]], [['33.4484,-112.0740', '3/1/2026', '1.3.2026']]])(
  'leaves the decimal sign of %j undecided',
  (values) => expect(tallied(...(values as string[])).decimal()).toBeNull(),
)

test.each([
  [['3/25/2026', '3/4/2026'], { dayFirst: false, isOpen: false, example: '3/4/2026' }],
  [['25/3/2026', '3/4/2026'], { dayFirst: true, isOpen: false }],
  [['25/3/26 17:20', '4/3/26'], { dayFirst: true, isOpen: false }],
  [['3/4/2026', '12/11/2026'], { dayFirst: false, isOpen: true, example: '3/4/2026' }],
  [['25/3/2026', '3/25/2026', '3/4/2026'], { dayFirst: false, isOpen: true }],
  [['4.3.2026', '5.3.2026'], { dayFirst: true, isOpen: true }],
  [['3/3/2026'], { dayFirst: false, isOpen: false, example: null }],
] as const)('decides the order of day and month in %j', (values, decided) =>
  expect(tallied(...values).dateOrder()).toMatchObject(decided),
)

test('leaves the order of day and month in other dates and text undecided', () => {
  expect(tallied('2026-03-04', 'Mar 4, 2026', '46085', 'see 3/4/2026', '3/4').dateOrder()).toBeNull()
})

test('decides by the last of many values', () => {
  const amounts = Array.from({ length: 5000 }, (_, index) => `${index + 1}.200`)
  expect(tallied(...amounts.slice(0, 900)).decimal()).toMatchObject({ isOpen: true })
  expect(tallied(...amounts.slice(0, 900), '1.200,50').decimal()).toMatchObject({ sign: ',', isOpen: false })
})

test.each([
  ['flag', ['Yes', 'no', 'x', '1']],
  ['box', ['checked', 'x', '✓']],
  ['count', ['18', '18.0']],
  ['id', ['900100901.0', '830,001']],
  ['number', ['25200', '$1,234.50']],
  ['money', ['$5', 'USD 1,234.50']],
  ['date', ['3/4/2026', '25/3/2026', '4-Mar-26', 'Mar 4, 2026 2:30 PM']],
  ['email', ['ana@acme.example']],
  ['phone', ['(602) 555-0147', '+1 602 555 0147', '602.555.0147']],
  ['zip', ['85003', '85003-1234', '85003.0']],
  ['url', ['https://design.example/1']],
  ['coordinates', ['33.4484,-112.0740']],
  ['state', ['AZ', 'Arizona']],
] as const)('recognizes a column with the content %s', (content, values) => {
  expect(tallied(...values, ' ', 'N/A').all(content)).toBe(true)
  expect(tallied(...values, 'Powerwall 3').all(content)).toBe(false)
})

test('considers all values, however late the first exception', () => {
  const tally = tallied(...Array<string>(100_000).fill('No'), 'Powerwall 3')
  expect([tally.all('flag'), tally.count('flag'), tally.filled]).toEqual([false, 100_000, 100_001])
})

test('counts empty values and placeholders separately', () => {
  expect(tallied('', ' ', '\u00a0', 'N/A', 'a', 'b')).toMatchObject({
    filled: 2,
    empty: 4,
    examples: ['a', 'b'],
  })
})

test('a column is a checkbox column only if all its filled cells are checkboxes', () => {
  expect(tallied('checked', '', '').format().isBoxes).toBe(true)
  expect(tallied('yes', '', '').format().isBoxes).toBe(false)
  expect(tallied('', '').format().isBoxes).toBe(false)
})
