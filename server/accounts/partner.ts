import { slugPattern } from './slug.ts'

declare const brand: unique symbol

/**
 * The id of a partner on whose behalf something is read. Only `actor.ts` makes one, from a token or a session,
 * so that a partner-facing query without a tenant does not compile. Work for all partners (`@system`) reads it
 * from the database, in the name of each partner in turn.
 */
export type PartnerId = number & { readonly [brand]: 'PartnerId' }

/** The reach of the installer's own staff; like a `PartnerId`, only `actor.ts` makes it. */
export type AllPartners = 0 & { readonly [brand]: 'AllPartners' }

/** How far an actor sees. */
export type Reach = PartnerId | AllPartners

/** Whose something is: a partner's, or the installer's own (null). It never stands for everybody. */
export type Owner = PartnerId | null

/** Returns whether the text can be a partner's slug. */
export function isSlug(text: string): boolean {
  return slugPattern.test(text)
}
