import { isEveryone } from '../accounts/partner.ts'
import type { Session } from '../accounts/session-store.ts'
import { networkOf } from '../accounts/sign-in/anonymous-limit.ts'
import type { Caller } from '../admission/admission.ts'
import type { Actor } from './actor.ts'
import type { Client } from './client.ts'

const staff = 'staff'

/** Returns the caller to whom an actor's work belongs. */
export function callerOf({ tenant, user, tokenId }: Pick<Actor, 'tenant' | 'user' | 'tokenId'>): Caller {
  const member = user === null ? `token ${tokenId}` : `user ${user.id}`
  // An operator viewing as a partner takes none of that partner's slots.
  return isEveryone(tenant) || user?.role === 'operator'
    ? { kind: 'staff', group: staff, member }
    : { kind: 'partner', group: `partner ${tenant}`, member }
}

/** Returns the caller to whom the work of a session belongs. */
export function callerOfSession({ user: { id, role, partnerId } }: Pick<Session, 'user'>): Caller {
  const member = `user ${id}`
  return role === 'operator'
    ? { kind: 'staff', group: staff, member }
    : { kind: 'partner', group: `partner ${partnerId}`, member }
}

/** Returns the caller to whom the work of an anonymous client belongs. */
export function callerOfClient({ address }: Client): Caller {
  return { kind: 'anonymous', group: 'anonymous', member: networkOf(address ?? '') }
}
