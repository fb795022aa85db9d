import { expect, test } from 'vitest'
import { isOfPartner } from './action.ts'

test('actions on stages, sources and storage have no partner; mapping a value to one does', () => {
  expect(
    (
      [
        'stage.changed',
        'staff.phone-set',
        'source.paused',
        'files.swept',
        'reminder.changed',
        'reply.saved',
        'demo.loaded',
        'import.moved',
      ] as const
    ).some(isOfPartner),
  ).toBe(false)
  expect(
    (
      [
        'token.created',
        'import.started',
        'file.added',
        'question.resolved',
        'source.partner-assigned',
      ] as const
    ).every(isOfPartner),
  ).toBe(true)
})
