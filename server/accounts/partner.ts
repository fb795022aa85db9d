import { slugPattern } from './slug.ts'

declare const brand: unique symbol

/**
 * The id of the partner whose data is read. Only `actor.ts` creates one, from a token or session, so that a
 * partner-facing query without a tenant does not compile. Jobs for all partners (`@system`) read it from the
 * database.
 */
export type PartnerId = number & { readonly [brand]: 'PartnerId' }

/** The tenant scope of the installer's staff; like a `PartnerId`, only `actor.ts` creates it. */
export type AllPartners = 0 & { readonly [brand]: 'AllPartners' }

/** The data an actor may see. */
export type TenantScope = PartnerId | AllPartners

/** The owner of something: a partner, or the installer (null). Never means everybody. */
export type Owner = PartnerId | null

/** Returns whether the text is a valid slug. */
export function isSlug(text: string): boolean {
  return slugPattern.test(text)
}
