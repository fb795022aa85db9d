import { slugPattern } from './slug.ts'

declare const brand: unique symbol

/**
 * The id of the partner whose data is read. Only `actor.ts` creates one, from a token or session, so that a
 * partner-facing query without a tenant does not compile. Jobs for all partners (`@system`) read it from the
 * database.
 */
export type PartnerId = number & { readonly [brand]: 'PartnerId' }

/**
 * The tenant scope of the installer's staff; like a `PartnerId`, only `actor.ts` creates it. It is not a number, so
 * no missing or wrong id can be mistaken for it, and no query accepts it as a partner.
 */
export type Everyone = symbol & { readonly [brand]: 'Everyone' }

/** The data an actor may see. */
export type TenantScope = PartnerId | Everyone

/** The owner of something: a partner, or the installer (null). Never means everybody. */
export type Owner = PartnerId | null

/** Returns whether a tenant scope covers all partners. */
export const isEveryone = (tenant: TenantScope | null): tenant is Everyone => typeof tenant === 'symbol'

/** Returns the owner of what an actor of this scope makes: its partner, or the installer (null). */
export const ownerOf = (tenant: TenantScope): Owner => (isEveryone(tenant) ? null : tenant)

/** Returns whether the text is a valid slug. */
export function isSlug(text: string): boolean {
  return slugPattern.test(text)
}
