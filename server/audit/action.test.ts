import { expect, test } from 'vitest'
import { isOfPartner } from './action.ts'

test('what is done to stages, sources and storage is about no partner; a value that is mapped to one is', () => {
  expect(
    (
      [
        'stage.changed',
        'staff.phone-set',
        'source.paused',
        'files.swept',
        'demo.loaded',
        'import.moved',
      ] as const
    ).some(isOfPartner),
  ).toBe(false)
  expect(
    (['token.created', 'import.started', 'file.added', 'source.partner-assigned'] as const).every(
      isOfPartner,
    ),
  ).toBe(true)
})
