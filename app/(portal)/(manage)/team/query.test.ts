import { expect, test } from 'vitest'
import { readTeamQuery, teamFilter, teamHref } from './query.ts'

test('for users who see all partners, the URL selects the team', () => {
  const state = readTeamQuery('?of=acme&q=+Ana+')
  expect(teamFilter(state, false, true)).toEqual({ isInvited: false, search: 'Ana', partner: 'acme' })
  expect(teamFilter(state, true, false)).toEqual({ isInvited: true, search: 'Ana' })
  expect(teamFilter(readTeamQuery('?of=-'), false, true)).toEqual({
    isInvited: false,
    search: '',
    partner: null,
  })
  expect(teamFilter(readTeamQuery(''), false, true)).toEqual({ isInvited: false, search: '' })
  expect(teamHref({ of: 'acme' })).toBe('/team?of=acme')
})
