declare const brand: unique symbol

/**
 * The ID of the partner whose data may be read. Only `actor.ts` creates this type, from a token or a session,
 * so that a partner-facing query that forgets the tenant does not compile. Jobs for all partners (`@system`)
 * read IDs of this type from the database.
 */
export type PartnerId = number & { readonly [brand]: 'PartnerId' }

/**
 * The tenant scope of the installer's staff. Like `PartnerId`, only `actor.ts` creates this type. It is not a
 * number, so no missing or wrong ID can be mistaken for it, and no query accepts it as a partner.
 */
export type Everyone = symbol & { readonly [brand]: 'Everyone' }

/** The tenant whose data an actor may see: one partner, or all partners. */
export type TenantScope = PartnerId | Everyone

/** The owner of an object: a partner, or null for the installer. Null never stands for all partners. */
export type Owner = PartnerId | null

/** Returns true if the tenant scope covers all partners. */
export const isEveryone = (tenant: TenantScope | null): tenant is Everyone => typeof tenant === 'symbol'

/**
 * Returns the owner of objects that an actor with this scope creates: the partner, or null for the installer.
 */
export const ownerOf = (tenant: TenantScope): Owner => (isEveryone(tenant) ? null : tenant)

/**
 * The form of the slugs that identify partners in queries and commands: 1 to 63 of `a-z`, `0-9` and inner
 * hyphens.
 */
export const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
export const slugMaxLength = 63

/** Returns true if the text is a valid slug. */
export const isSlug = (text: string): boolean => slugPattern.test(text)

/**
 * Returns the slug in the `partner` parameter of a page's query, or null if there is no parameter. If the
 * parameter does not name exactly one partner, returns `-`, which is never a valid slug.
 */
export function partnerOfQuery(query: URLSearchParams): string | null {
  const [slug, ...others] = query.getAll('partner')
  if (slug === undefined) return null
  return others.length === 0 && isSlug(slug) ? slug : '-'
}
