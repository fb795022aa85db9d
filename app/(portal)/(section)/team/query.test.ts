import { expect, test } from 'vitest'
import { readTeamAddress, teamFilter, teamHref } from './query.ts'

test('the address says whose people are asked for, to who sees all partners', () => {
  const state = readTeamAddress('?of=acme&q=+Ana+')
  expect(teamFilter(state, false, true)).toEqual({ isInvited: false, search: 'Ana', partner: 'acme' })
  expect(teamFilter(state, true, false)).toEqual({ isInvited: true, search: 'Ana' })
  expect(teamFilter(readTeamAddress('?of=-'), false, true)).toEqual({
    isInvited: false,
    search: '',
    partner: null,
  })
  expect(teamFilter(readTeamAddress(''), false, true)).toEqual({ isInvited: false, search: '' })
  expect(teamHref({ of: 'acme' })).toBe('/team?of=acme')
})
