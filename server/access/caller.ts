import { isEveryone } from '../accounts/partner.ts'
import type { Session } from '../accounts/session-store.ts'
import { networkOf } from '../accounts/sign-in/anonymous-limit.ts'
import type { Caller } from '../admission/admission.ts'
import type { Actor } from './actor.ts'
import type { Client } from './client.ts'

const staff = 'staff'

/** Returns the caller that the actor's work counts against. */
export function callerOf({ tenant, user, tokenId }: Pick<Actor, 'tenant' | 'user' | 'tokenId'>): Caller {
  const member = user === null ? `token ${tokenId}` : `user ${user.id}`
  // Work of an operator who views the portal as a partner counts against the staff, not the partner.
  return isEveryone(tenant) || user?.role === 'operator'
    ? { kind: 'staff', group: staff, member }
    : { kind: 'partner', group: `partner ${tenant}`, member }
}

/** Returns the caller that the work of a session counts against. */
export function callerOfSession({ user: { id, role, partnerId } }: Pick<Session, 'user'>): Caller {
  const member = `user ${id}`
  return role === 'operator'
    ? { kind: 'staff', group: staff, member }
    : { kind: 'partner', group: `partner ${partnerId}`, member }
}

/** Returns the caller that the work of an anonymous client counts against. */
export function callerOfClient({ address }: Client): Caller {
  return { kind: 'anonymous', group: 'anonymous', member: networkOf(address ?? '') }
}
