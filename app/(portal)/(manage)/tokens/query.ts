import { parseAsString } from 'nuqs/server'
import { type PageState, cutText, pageQuery } from '#app/page-query.ts'

/**
 * Query parameters of the Tokens page. `of` is the slug of the partner whose tokens an operator sees, empty
 * for internal tokens, or null for all.
 */
export const tokensQuery = pageQuery('/tokens', { of: parseAsString })

export type TokensState = PageState<typeof tokensQuery>

/** Returns the input of the list procedure for the query parameters. */
export const tokensInput = ({ of }: TokensState, isEnded: boolean) => ({
  isEnded,
  owner: of === null ? undefined : cutText(of, 63) || null,
})
