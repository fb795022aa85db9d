import { expect, test } from 'vitest'
import type { TenantScope } from '../accounts/partner.ts'
import type { Role } from '../accounts/role.ts'
import { everyone } from './actor.ts'
import { callerOf, callerOfClient, callerOfSession } from './caller.ts'

const user = (role: Role) => ({ id: 3, email: 'a@b.c', role, sessionHash: '', chosenPartner: null })

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

test('admits anonymous work by network; clients without a known IP address count as one', () => {
  const caller = (address: string | null) => callerOfClient({ address, agent: '' })
  const anonymous = { kind: 'anonymous', group: 'anonymous' }
  expect(caller('2001:db8::6')).toEqual({ ...anonymous, member: '2001:db8:0:0' })
  expect(caller(null)).toEqual({ ...anonymous, member: '' })
})
