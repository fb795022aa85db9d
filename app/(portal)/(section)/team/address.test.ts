import { expect, test } from 'vitest'
import { readTeamAddress, teamFilter, teamHref } from './address.ts'

test('the address says whose people are asked for, to who sees all partners', () => {
  const state = readTeamAddress('?partner=acme&q=+Ana+')
  expect(teamFilter(state, false, true)).toEqual({ isInvited: false, search: 'Ana', partner: 'acme' })
  expect(teamFilter(state, true, false)).toEqual({ isInvited: true, search: 'Ana' })
  expect(teamFilter(readTeamAddress('?partner=-'), false, true)).toEqual({ isInvited: false, search: '', partner: null })
  expect(teamFilter(readTeamAddress(''), false, true)).toEqual({ isInvited: false, search: '' })
  expect(teamHref({ partner: 'acme' })).toBe('/team?partner=acme')
})
