import { expect, test } from 'vitest'
import { teamFilter, teamQuery } from './query.ts'

test('for users who see all partners, the URL selects the team', () => {
  const state = teamQuery.read('?of=acme&q=+Ana+')
  expect(teamFilter(state, false, true)).toEqual({ isInvited: false, search: 'Ana', partner: 'acme' })
  expect(teamFilter(state, true, false)).toEqual({ isInvited: true, search: 'Ana' })
  expect(teamFilter(teamQuery.read('?of=-'), false, true)).toEqual({
    isInvited: false,
    search: '',
    partner: null,
  })
  expect(teamFilter(teamQuery.read(''), false, true)).toEqual({ isInvited: false, search: '' })
  expect(teamQuery.href({ of: 'acme' })).toBe('/team?of=acme')
})
