import { describe, expect, test } from 'vitest'
import { type RowsAbove, type TextRow, footerLength, skippedKind } from './skipped-rows.ts'

const shape = { titles: ['Deal ID', 'Deal Name', 'Stage', 'Amount'], idIndex: 0 }
const row = (texts: string, number = 2): TextRow => ({ row: number, texts: texts.split('|') })

describe('a row of a table', () => {
  test.each([
    ['Deal ID|Deal Name|Stage|Amount', 'titles'],
    ['deal id|DEAL NAME|Stage|', 'titles'],
    ['-----|-----|---|----', 'rule'],
    ['=====||| ', 'rule'],
    ['Total|||40410', 'total'],
    ['|Subtotal||40410', 'total'],
    ['Grand Totals (12 records)|||', 'total'],
    ['Count|2||', 'total'],
    ['Sum: 40410|||', 'total'],
    ['Open deals by partner|||', 'remark'],
    ['Stage: CAD Design (3 records)|||', 'remark'],
    ['Confidential Information - Do Not Distribute|||', 'remark'],
    ['Copyright (c) 2000-2026 salesforce.com, inc.|||', 'remark'],
    ['|Page 1 of 3||', 'remark'],
    ['||5|40410', 'total'],
    ['|||5', 'total'],
    ['||5|2026-03-04 to 2026-03-09', 'total'],
    ['|NTP (2 records)||5', 'total'],
    ['|kW|USD|mm/dd/yyyy', 'remark'],
    ['|(kW)|[USD]|(Y/N)', 'remark'],
    ['number|text|text|currency', 'remark'],
  ])('%j is not a deal', (texts, kind) => expect(skippedKind(row(texts), shape)).toBe(kind))

  test.each([
    '900100801|Total Solar LLC|CAD Design|',
    '900100801|||',
    '2|||',
    'JOB-1042|Ortiz, Mia|CAD Design|5',
    'JOB-1042|||',
    '|Ortiz, Mia|CAD Design|',
    'x|Counts, Al|CAD Design|',
    '90010O801|||',
  ])('%j may be a deal', (texts) => expect(skippedKind(row(texts), shape)).toBeNull())
})

describe('the footer of a table', () => {
  const above: RowsAbove = { count: 2, idDigits: 9 }
  const lengthOf = (...last: TextRow[]) => footerLength(last, shape, () => above)
  const deal = row('900100802|Webb, Al|Engineering|22010', 3)

  test.each([
    [['Open deals by partner', 'Internal use only', 'Made by: J. Reed  4/7/2026 8:00 AM'], 3],
    [['Total|||40410', '2'], 2],
    [['Total|||40410', '1'], 2],
    [['2|||40410'], 1],
    [['2 records'], 1],
    [['|||40410'], 1],
    [['Copyright (c) 2026|Acme||', 'Page 1 of 1'], 2],
    [['900100803'], 0],
    [['900100803|||'], 0],
    [['2|Ortiz, Mia||'], 0],
    [['12|||'], 1],
    [['1234567|||'], 0],
    [['|Ortiz, Mia|NTP|5'], 0],
    [['Total|||40410', '900100803|Diaz, Jo|NTP|5'], 0],
    [['JOB-7|Diaz, Jo|NTP|5'], 0],
  ])('of %j has %d rows', (last, length) =>
    expect(lengthOf(deal, ...last.map((texts, index) => row(texts, 4 + index)))).toBe(length),
  )

  test('may follow the table after empty rows', () => {
    expect(lengthOf(deal, row('J. Reed|4/7/2026||', 7))).toBe(1)
    expect(lengthOf(deal, row('J. Reed|4/7/2026||', 4))).toBe(0)
  })

  test('is empty for a table of ids', () => {
    const ids = [row('1.2E17', 2), row('9007199254740993', 3), row('3', 4)]
    expect(footerLength(ids, { titles: ['id'], idIndex: 0 }, (count) => ({ count, idDigits: 16 }))).toBe(0)
  })

  test('does not include rows with short ids', () => {
    const rows = ['1|a|b|5', '2|c|d|6', '3|||'].map((texts, index) => row(texts, 2 + index))
    expect(footerLength(rows, shape, (index) => ({ count: index, idDigits: 1 }))).toBe(0)
  })
})
