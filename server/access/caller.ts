import { isIPv6 } from 'node:net'
import type { Session } from '../accounts/session-store.ts'
import type { Caller } from '../protocol/admission.ts'
import type { Actor } from './actor.ts'
import type { Client } from './client.ts'

const staff = 'staff'

/** Returns the caller that the work of an actor is admitted for. */
export function callerOf({ reach, user, tokenId }: Pick<Actor, 'reach' | 'user' | 'tokenId'>): Caller {
  const member = user === null ? `token ${tokenId}` : `user ${user.id}`
  // An operator who views the portal as a partner takes none of that partner's slots.
  return reach === 0 || user?.role === 'operator'
    ? { kind: 'staff', group: staff, member }
    : { kind: 'partner', group: `partner ${reach}`, member }
}

/** Returns the caller that the work of a signed-in browser is admitted for. */
export function callerOfSession({ user: { id, role, partnerId } }: Pick<Session, 'user'>): Caller {
  const member = `user ${id}`
  return role === 'operator'
    ? { kind: 'staff', group: staff, member }
    : { kind: 'partner', group: `partner ${partnerId}`, member }
}

/** Returns the caller that the work of somebody unknown is admitted for. */
export function callerOfClient({ address }: Client): Caller {
  return { kind: 'anonymous', group: 'anonymous', member: networkOf(address ?? '') }
}

/** Returns an address as one client has it: of IPv6 the first 64 bits, since a client has all of the others (RFC 4291). */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('%')[0]!.split('::') as [string, string?]
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length)
  const groups = [...first, ...Array<string>(missing).fill('0'), ...last]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
