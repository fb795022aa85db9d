import { parseAsString } from 'nuqs/server'
import { type PageState, cutLine, pageQuery } from '#app/page-query.ts'

/** Value that selects the installer's staff. A slug cannot have this form. */
export const staffChoice = '-'

/**
 * Query parameters of the Team page: `of` is the slug of the selected partner, or empty for all; `q` is part
 * of a name or e-mail address.
 */
export const teamQuery = pageQuery('/team', {
  of: parseAsString.withDefault(''),
  q: parseAsString.withDefault(''),
})

/** Returns the slug of the selected partner, or null for the installer's staff. */
export const partnerOfChoice = (choice: string) => (choice === staffChoice ? null : choice)

/**
 * Returns the API filter for the query parameters. Ignores the selected partner unless the viewer sees all
 * partners.
 */
export function teamFilter({ of, q }: PageState<typeof teamQuery>, isInvited: boolean, isOfAll: boolean) {
  return {
    isInvited,
    search: cutLine(q, 100),
    ...(isOfAll && of !== '' ? { partner: partnerOfChoice(of) } : {}),
  }
}
