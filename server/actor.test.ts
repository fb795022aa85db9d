import { expect, test } from 'vitest'
import { actorOfSession, isInternal } from './actor.ts'

test('a member reads what is the partner\'s', () => {
  const actor = actorOfSession({ role: 'member', partnerId: 7 })
  expect(actor).toMatchObject({ reach: 7, scopes: ['deals:read', 'files:read'], tokenId: null })
  expect(isInternal(actor)).toBe(false)
})

test('an admin may also set the webhooks', () => {
  expect(actorOfSession({ role: 'admin', partnerId: 7 })).toMatchObject({ reach: 7, scopes: ['deals:read', 'files:read', 'webhooks:read', 'webhooks:write'] })
})

test('an operator sees all partners', () => {
  const actor = actorOfSession({ role: 'operator', partnerId: null })
  expect(actor).toMatchObject({ reach: 0, scopes: ['deals:read', 'files:read'] })
  expect(isInternal(actor)).toBe(true)
})

test('a member without a partner, should there ever be one, is no operator', () => {
  expect(isInternal(actorOfSession({ role: 'member', partnerId: null }))).toBe(false)
})
