import { expect, test } from 'vitest'
import { differs, durationOf, importStatus, isUnderway, sumOf, titleOf, whoOf } from './labels.ts'

const counts = { created: 1, updated: 2, unchanged: 3, rejected: 4 }
const at = (
  state: 'uploading' | 'checking' | 'checked' | 'importing' | 'done' | 'failed',
  isInterrupted = false,
  receivedBytes = 10,
) => ({ state, isInterrupted, receivedBytes, sizeBytes: 10 })

test('an import has a status', () => {
  expect(
    [
      at('uploading', false, 5),
      at('uploading'),
      at('checking'),
      at('checking', true),
      at('checked'),
      at('importing'),
      at('importing', true),
      at('done'),
      at('failed'),
    ].map((each) => importStatus(each).label),
  ).toEqual([
    'Upload incomplete',
    'Waiting for check',
    'Checking',
    'Interrupted',
    'Ready to import',
    'Importing',
    'Interrupted',
    'Completed',
    'Failed',
  ])
  expect(
    [
      at('checking'),
      at('importing'),
      at('checking', true),
      at('importing', true),
      at('checked'),
      at('done'),
    ].map(isUnderway),
  ).toEqual([true, true, false, false, false, false])
})

test('records are counted and compared', () => {
  expect(sumOf(counts)).toBe(10)
  expect(differs(counts, { ...counts })).toBe(false)
  expect(differs(counts, { ...counts, updated: 1 })).toBe(true)
})

test.each([
  [0.2, '0:01'],
  [65, '1:05'],
  [7384, '2:03:04'],
])('an import of %d seconds took %s', (seconds, shown) => {
  expect(durationOf(new Date(0), new Date(seconds * 1000))).toBe(shown)
  expect(durationOf(null, new Date(0))).toBe('')
})

test('an import is named by its file and its author', () => {
  const who = { name: 'Ana', email: 'ana@x.example' }
  expect(titleOf({ fileName: 'a.csv', undoes: null })).toBe('a.csv')
  expect(titleOf({ fileName: 'a.csv', undoes: 1 })).toBe('Undo of a.csv')
  expect(whoOf({ who, origin: 'upload' })).toBe('Ana')
  expect(whoOf({ who: null, origin: 'command' })).toBe('Command line')
  expect(whoOf({ who: null, origin: 'upload' })).toBe('Deleted user')
})
