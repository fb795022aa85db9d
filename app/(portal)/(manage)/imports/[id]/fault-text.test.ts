import { expect, test } from 'vitest'
import { faultText } from './fault-text.ts'

test('a problem names the column of the file, otherwise the field', () => {
  expect(faultText({ field: 'id', reason: 'is empty' })).toBe('Deal ID is empty')
  expect(faultText({ field: 'id', title: 'Deal No.', reason: 'is empty' })).toBe('Deal No. is empty')
  expect(faultText({ field: 'owner.id', reason: 'is empty' })).toBe('Account manager: id is empty')
  expect(faultText({ field: null, reason: 'is not JSON' })).toBe('Is not JSON')
})
