import type { Database } from '#db/client.ts'
import { isEveryone, type Everyone, type PartnerId, type TenantScope, isSlug } from '../accounts/partner.ts'
import type { Role } from '../accounts/role.ts'
import type { Session, PartnerName } from '../accounts/session-store.ts'
import { networkOf } from '../accounts/sign-in/anonymous-limit.ts'
import { type Partner, findPartner, zoneOfPartner } from '../accounts/store.ts'
import type { Caller } from '../admission/admission.ts'
import { ApiError } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import type { Scope } from '../tokens/policy.ts'
import { recordTokenUse } from '../tokens/store.ts'
import { hashToken, isTokenForm } from '../tokens/token.ts'
import { type Zone, utc } from '../values/zone.ts'
import { scopesOf } from './capability.ts'
import { type Client, noClient } from './client.ts'

/** The caller: a partner's system or user, or the installer's staff. */
export interface Actor {
  /** Which deals the caller may see. */
  tenant: TenantScope
  scopes: readonly Scope[]
  /** The token whose rate limit applies; null for a user. */
  tokenId: number | null
  /** The caller's time zone; UTC for a system. */
  zone: Zone
  /** The signed-in user; null for a system. */
  user: SignedIn | null
  client: Client
  /** The revision of the tenant's deal list when the request began; null if unknown. */
  listRevision: number | null
}

/** A user in a browser. */
export interface SignedIn {
  id: number
  email: string
  role: Role
  sessionHash: string
  /** The partner as which an operator views the portal; null when viewing all partners. */
  chosenPartner: PartnerName | null
}

const bearer = /^bearer +([^ ]+) *$/i

/**
 * Returns the actor for an `Authorization` header (RFC 6750).
 * @throws ApiError 401 if the token is missing, unknown, expired or revoked
 */
export async function actorOfRequest(
  { db, access, background }: Pick<Services, 'db' | 'access' | 'background'>,
  authorization: string | undefined,
  client = noClient,
): Promise<Actor & { tokenId: number }> {
  const token = bearer.exec(authorization ?? '')?.[1]
  if (token === undefined)
    throw unauthorized(
      authorization === undefined
        ? 'A bearer token is required'
        : 'The Authorization header must be Bearer, a space and the token',
      'Bearer',
    )
  const found = isTokenForm(token) ? await access.load(hashToken(token)) : undefined
  if (found === undefined) throw unauthorized('The token is not valid', 'Bearer error="invalid_token"')
  const { tokenId } = found
  if (found.useIsNews) background('token use', tokenId, () => recordTokenUse(db, tokenId, client))
  return {
    tenant: found.isInternal ? everyone : (found.partnerId as PartnerId),
    scopes: found.scopes,
    tokenId: found.tokenId,
    zone: utc,
    user: null,
    client,
    listRevision: found.listRevision,
  }
}

/** Returns the actor of a signed-in user; an operator sees all partners. */
export function actorOfSession(
  { user, hash, zone }: Pick<Session, 'user' | 'hash' | 'zone'>,
  client = noClient,
): Actor {
  const { id, email, role, partnerId } = user
  // Only operators may see all partners: a member without a partner must see nothing.
  const tenant = role === 'operator' ? everyone : partnerId
  return {
    tenant: tenant as TenantScope,
    scopes: scopesOf[role],
    tokenId: null,
    zone,
    user: { id, email, role, sessionHash: hash, chosenPartner: null },
    client,
    listRevision: null,
  }
}

/**
 * Returns the actor of a signed-in user on a page whose query names the partner `slug` (null for none). An
 * operator acts as that partner, in that partner's time zone, and may configure the partner's webhooks.
 * @throws ApiError 403 for users of another partner, 400 for operators if the partner does not exist
 */
export async function actorOfPage(
  context: { db: Database },
  session: Session,
  slug: string | null,
  client = noClient,
): Promise<Actor> {
  const actor = actorOfSession(session, client)
  if (slug === null || slug === session.partner?.slug) return actor
  if (!isInternal(actor)) throw new ApiError('FORBIDDEN', 'This page belongs to another partner')
  const partner = await requirePartner(context, slug)
  const { id, name } = partner
  return {
    ...actor,
    tenant: id,
    zone: zoneOfPartner(partner),
    // Operators get this scope only here, because endpoints always belong to one partner.
    scopes: [...actor.scopes, 'webhooks:write'],
    user: { ...actor.user!, chosenPartner: { id, slug, name } },
  }
}

/** Returns a 401 error with this `WWW-Authenticate` challenge. */
export function unauthorized(message: string, challenge: string): ApiError {
  return new ApiError('UNAUTHORIZED', message, { headers: { 'WWW-Authenticate': challenge } })
}

/** The tenant scope of the installer's staff, who see all partners. */
export const everyone = Symbol('everyone') as Everyone

/** Returns true if the actor belongs to the installer's staff. */
export function isInternal(actor: Actor): actor is Actor & { tenant: Everyone } {
  return isEveryone(actor.tenant)
}

/**
 * Returns the tenant scope that contains only the partner named by `slug`.
 * @throws ApiError 400 if the partner does not exist
 */
export async function tenantOfPartner(context: { db: Database }, slug: unknown): Promise<PartnerId> {
  return (await requirePartner(context, slug)).id
}

async function requirePartner({ db }: { db: Database }, slug: unknown): Promise<Partner & { id: PartnerId }> {
  const partner = typeof slug === 'string' && isSlug(slug) ? await findPartner(db, slug) : undefined
  if (partner === undefined)
    throw new ApiError('BAD_REQUEST', 'The request is not valid', {
      errors: ['partner: must be the slug of a partner'],
    })
  return partner
}

/**
 * Returns the partner on whose behalf the actor acts.
 * @throws ApiError 403 for internal actors, which act for no single partner
 */
export function partnerOf(actor: Actor): PartnerId {
  if (isInternal(actor))
    throw new ApiError('FORBIDDEN', 'Only partners can do this; an internal token belongs to none')
  return actor.tenant as PartnerId
}

const callerIn = (isStaff: boolean, partnerId: unknown, member: string): Caller =>
  isStaff
    ? { kind: 'staff', group: 'staff', member }
    : { kind: 'partner', group: `partner ${String(partnerId)}`, member }

/** Returns the caller that the actor's work counts against. */
export function callerOf({ tenant, user, tokenId }: Pick<Actor, 'tenant' | 'user' | 'tokenId'>): Caller {
  // Work of an operator who views the portal as a partner counts against the staff, not the partner.
  const isStaff = isEveryone(tenant) || user?.role === 'operator'
  return callerIn(isStaff, tenant, user === null ? `token ${tokenId}` : `user ${user.id}`)
}

/** Returns the caller that the work of a session counts against. */
export const callerOfSession = ({ user: { id, role, partnerId } }: Pick<Session, 'user'>): Caller =>
  callerIn(role === 'operator', partnerId, `user ${id}`)

/** Returns the caller that the work of an anonymous client counts against. */
export const callerOfClient = ({ address }: Client): Caller => ({
  kind: 'anonymous',
  group: 'anonymous',
  member: networkOf(address ?? ''),
})
