import { expect, test } from 'vitest'
import { utc } from '#server/protocol/zone.ts'
import { fileColumns } from './export/cells.ts'
import { textOfRows } from './text-of-rows.ts'
import type { Row } from './use-deals.ts'

test('copies rows with the displayed columns, one line each, whatever their text contains', () => {
  const rows = [
    { id: 7n, dealname: 'Lopez,\tAna\n2', stage: 'Permit', assignee: 'Ben' },
    { id: 9_007_199_254_740_993n, dealname: null },
  ] as Row[]
  expect(textOfRows(fileColumns(['dealname', 'stage', 'assignee'], utc, 0), rows).split('\n')).toEqual([
    'Deal\tFull address\tStage\tAssigned to\tDeal ID',
    'Lopez, Ana 2\t\tPermit\tBen\t7',
    '\t\t\t\t9007199254740993',
  ])
})
