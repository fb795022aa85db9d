import { expect, test } from 'vitest'
import { namedFiles } from './named-files.ts'

const record = (id: string, values: Record<string, string | null>) => ({ id, modifiedMs: 1, values })

test('collects file ids from the selected properties of records, without duplicates or invalid ids', () => {
  const records = [
    record('1', { agreement: '71;72', photos: '72, 73', notes: '74' }),
    record('2', { agreement: null, photos: 'https://files.example/75;;x' }),
  ]
  expect(
    namedFiles(records, { files: { mode: 'copy', notes: false, properties: ['agreement', 'photos'] } }),
  ).toEqual([
    { dealId: '1', fileId: '71' },
    { dealId: '1', fileId: '72' },
    { dealId: '1', fileId: '73' },
  ])
  expect(namedFiles(records, { files: null })).toEqual([])
})
