import type { Database } from '#db/client.ts'
import { type AllPartners, type PartnerId, type Reach, isSlug } from '../accounts/partner.ts'
import { type Partner, findPartner } from '../accounts/store.ts'
import type { PartnerName, Session } from '../accounts/user-store.ts'
import type { Role } from '../accounts/user.ts'
import { Refusal } from '../protocol/errors.ts'
import type { Services } from '../runtime/services.ts'
import { type Scope, internalScopes, scopes } from '../tokens/scope.ts'
import { noteTokenUse } from '../tokens/store.ts'
import { hashToken, isTokenForm } from '../tokens/token.ts'
import { type Client, noClient } from './client.ts'

/** Who asks: a partner's system or a person of the partner, or the installer's own staff. */
export interface Actor {
  /** How far it sees. */
  reach: Reach
  scopes: readonly Scope[]
  /** What the rate is limited by; null for a person. */
  tokenId: number | null
  /** The person who asks; null for a system. */
  user: SignedIn | null
  /** Where from. */
  client: Client
  /** The revision of the list of deals within its reach, as of this request; null when that is not known. */
  listRevision: number | null
}

/** A person in a browser. */
export interface SignedIn {
  id: number
  email: string
  role: Role
  /** The session of the browser. */
  sessionHash: string
  /** The partner that an operator views the portal as; null: all partners. */
  chosenPartner: PartnerName | null
}

const bearer = /^bearer +([^ ]+) *$/i

/**
 * Returns the actor of a request with this `Authorization` header (RFC 6750).
 * @throws Refusal 401 when there is no token, or none that may be used
 */
export async function actorOfRequest(
  services: Services,
  authorization: string | undefined,
  client = noClient,
): Promise<Actor & { tokenId: number }> {
  const token = bearer.exec(authorization ?? '')?.[1]
  if (token === undefined) throw unauthorized('A bearer token is required', 'Bearer')
  const found = isTokenForm(token) ? await services.access.load(hashToken(token)) : undefined
  if (found === undefined) throw unauthorized('The token is not valid', 'Bearer error="invalid_token"')
  if (found.useIsNews) services.background(noteTokenUse(services.db, found.tokenId, client))
  return {
    reach: (found.partnerId ?? 0) as Reach,
    scopes: found.scopes,
    tokenId: found.tokenId,
    user: null,
    client,
    listRevision: found.listRevision,
  }
}

const scopesOf: Record<Role, readonly Scope[]> = {
  member: ['deals:read', 'files:read'],
  admin: scopes,
  // An operator sees how the webhooks of a chosen partner do, and changes nothing there.
  operator: [...internalScopes, 'webhooks:read'],
}

/** Returns the actor of a signed-in user on a page that names no partner: an operator sees all partners. */
export function actorOfSession({ user, hash }: Pick<Session, 'user' | 'hash'>, client = noClient): Actor {
  const { id, email, role, partnerId } = user
  // By the role: a member without a partner, which the database rules out, would see nothing rather than everything.
  const reach = role === 'operator' ? 0 : partnerId
  return {
    reach: reach as Reach,
    scopes: scopesOf[role],
    tokenId: null,
    user: { id, email, role, sessionHash: hash, chosenPartner: null },
    client,
    listRevision: null,
  }
}

/**
 * Returns the actor of a signed-in user on a page whose address names the partner `slug`; null: it names none.
 * An operator sees what that partner sees.
 * @throws Refusal 403 for another partner's people, 400 for operators when there is no such partner
 */
export async function actorOfPage(
  context: { db: Database },
  session: Session,
  slug: string | null,
  client = noClient,
): Promise<Actor> {
  const actor = actorOfSession(session, client)
  if (slug === null || slug === session.partner?.slug) return actor
  if (!isInternal(actor)) throw new Refusal('FORBIDDEN', 'This page is of another partner')
  const { id, name } = await requirePartner(context, slug)
  return { ...actor, reach: id, user: { ...actor.user!, chosenPartner: { id, slug, name } } }
}

function unauthorized(message: string, challenge: string): Refusal {
  return new Refusal('UNAUTHORIZED', message, { headers: { 'WWW-Authenticate': challenge } })
}

/** The reach of the installer's own staff. */
export const allPartners = 0 as AllPartners

/** Returns whether the actor is the installer's own staff. */
export function isInternal(actor: Actor): actor is Actor & { reach: AllPartners } {
  return actor.reach === 0
}

/**
 * Returns the reach of an internal actor, narrowed to one partner.
 * @throws Refusal 400 when there is no such partner
 */
export async function reachOfPartner(context: { db: Database }, slug: unknown): Promise<PartnerId> {
  return (await requirePartner(context, slug)).id
}

async function requirePartner({ db }: { db: Database }, slug: unknown): Promise<Partner & { id: PartnerId }> {
  const partner = typeof slug === 'string' && isSlug(slug) ? await findPartner(db, slug) : undefined
  if (partner === undefined)
    throw new Refusal('BAD_REQUEST', 'The request is not valid', {
      errors: ['partner: must be the slug of a partner'],
    })
  return partner
}

/**
 * Returns the one partner on whose behalf the actor acts.
 * @throws Refusal 403 for internal actors, which stand for none
 */
export function partnerOf(actor: Actor): PartnerId {
  if (isInternal(actor))
    throw new Refusal('FORBIDDEN', 'This is for partners: an internal token stands for none')
  return actor.reach as PartnerId
}
