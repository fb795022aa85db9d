import { describe, expect, test } from 'vitest'
import type { TenantScope } from '../accounts/partner.ts'
import type { Role } from '../accounts/role.ts'
import { everyone } from './actor.ts'
import { callerOf, callerOfClient, callerOfSession } from './caller.ts'

const user = (role: Role) => ({ id: 3, email: 'a@b.c', role, sessionHash: '', chosenPartner: null })
const client = (address: string | null) => callerOfClient({ address, agent: '' })

test.each([
  [
    'a token of a partner',
    { tenant: 7 as TenantScope, user: null, tokenId: 5 },
    ['partner', 'partner 7', 'token 5'],
  ],
  [
    'a member',
    { tenant: 7 as TenantScope, user: user('member'), tokenId: null },
    ['partner', 'partner 7', 'user 3'],
  ],
  ['an internal token', { tenant: everyone, user: null, tokenId: 5 }, ['staff', 'staff', 'token 5']],
  [
    'an operator who views the portal as a partner',
    { tenant: 7 as TenantScope, user: user('operator'), tokenId: null },
    ['staff', 'staff', 'user 3'],
  ],
])('admits the work of %s in its own group', (_, actor, [kind, group, member]) => {
  expect(callerOf(actor)).toEqual({ kind, group, member })
})

test("admits the work of a session in its partner's group", () => {
  const session = (role: Role, partnerId: number | null) => ({
    user: { id: 3, email: 'a@b.c', name: 'Ana', role, partnerId },
  })
  expect(callerOfSession(session('member', 7))).toEqual({
    kind: 'partner',
    group: 'partner 7',
    member: 'user 3',
  })
  expect(callerOfSession(session('operator', null))).toMatchObject({ kind: 'staff', group: 'staff' })
})

describe('an anonymous client', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:DB8:0001:2::6', '2001:db8:1:2'],
    ['2001:db8::6', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ])('is identified by the network %s', (address, network) => {
    expect(client(address)).toEqual({ kind: 'anonymous', group: 'anonymous', member: network })
  })

  test('counts as one shared caller if the IP address is unknown', () => {
    expect(client(null).member).toBe('')
  })
})
