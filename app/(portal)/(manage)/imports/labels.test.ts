import { expect, test } from 'vitest'
import { durationOf, importStatus, isUnderway } from './labels.ts'

test.each([
  ['uploading', false, 5, 'Upload incomplete', false],
  ['uploading', false, 10, 'Waiting for check', false],
  ['checking', false, 10, 'Checking', true],
  ['checking', true, 10, 'Interrupted', false],
  ['checked', false, 10, 'Ready to import', false],
  ['importing', false, 10, 'Importing', true],
  ['importing', true, 10, 'Interrupted', false],
  ['done', false, 10, 'Completed', false],
] as const)(
  'the progress label (%s, interrupted: %s, %i of 10 bytes) is %s',
  (state, isInterrupted, receivedBytes, label, isBusy) => {
    const found = { state, isInterrupted, receivedBytes, sizeBytes: 10 }
    expect(importStatus(found).label).toBe(label)
    expect(isUnderway(found)).toBe(isBusy)
  },
)

test.each([
  [0.2, '0:01'],
  [65, '1:05'],
  [7384, '2:03:04'],
])('an import that took %d seconds shows %s', (seconds, text) => {
  expect(durationOf(new Date(0), new Date(seconds * 1000))).toBe(text)
  expect(durationOf(null, new Date(0))).toBe('')
})
