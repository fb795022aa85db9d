import { describe, expect, test } from 'vitest'
import { mailedOf, mentionedIn, notifiedOf, stateOf } from './thread.ts'

test('a question is open until the installer answers, and closed once resolved', () => {
  const now = new Date()
  expect(stateOf({ waitingSince: now, resolvedAt: null })).toBe('open')
  expect(stateOf({ waitingSince: null, resolvedAt: null })).toBe('answered')
  expect(stateOf({ waitingSince: null, resolvedAt: now })).toBe('resolved')
})

describe('a mention', () => {
  const people = [
    { id: 1, name: 'Ana' },
    { id: 2, name: 'Ana Lopez' },
    { id: 3, name: 'Øystein' },
    { id: 4, name: 'Ana' },
    { id: 5, name: '' },
  ]
  test.each([
    ['@Ana Lopez, please look', [2]],
    ['please look, @Ana.', [1, 4]],
    ['@Anabel', []],
    ['(@Øystein) and @Ana Lopez', [3, 2]],
    ['mail to me@Ana', []],
    ['Ana Lopez', []],
    ['@', []],
    ['@@Ana', [1, 4]],
  ])('in %j refers to the users %j', (text, ids) => expect(mentionedIn(text, people)).toEqual(ids))
})

test('notifies the asker, earlier responders and mentioned users, but never the author', () => {
  const of = (authorId: number | null, participants: number[], mentions: number[] = []) =>
    notifiedOf({ authorId, participants, mentions })
  expect(of(1, [])).toEqual([])
  expect(of(91, [1, 2, 91], [3, 1])).toEqual([1, 2, 3])
  expect(of(1, [1, 91])).toEqual([91])
})

test('mails the people responsible for the deal, or the whole team if there are none, unless already notified', () => {
  const of = (more: { notified?: number[]; responsible?: number[] }) =>
    mailedOf({ notified: [], responsible: [], operators: [91, 92], ...more })
  expect(of({})).toEqual([91, 92])
  expect(of({ responsible: [92] })).toEqual([92])
  expect(of({ responsible: [92], notified: [92] })).toEqual([])
  expect(of({ notified: [2] })).toEqual([91, 92])
  expect(of({ notified: [2, 91] })).toEqual([])
  expect(of({ notified: [91], responsible: [92] })).toEqual([92])
})
