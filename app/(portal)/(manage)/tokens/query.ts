import { createLoader, createSerializer, type inferParserType, parseAsString } from 'nuqs/server'
import { cutText } from '#app/cut-text.ts'

/**
 * Query parameters of the tokens page. `of` is the slug of the partner whose tokens an operator sees, or null
 * for internal tokens.
 */
export const tokensParsers = { of: parseAsString }

export type TokensState = inferParserType<typeof tokensParsers>

export const readTokensQuery = createLoader(tokensParsers)
export const tokensHref: (state: TokensState) => string = createSerializer(tokensParsers).bind(
  null,
  '/tokens',
)

/** Returns the input of the list procedure for the query parameters. */
export const tokensInput = ({ of }: TokensState, isEnded: boolean) => ({ isEnded, owner: ownerOf(of) })

function ownerOf(of: string | null): string | null | undefined {
  if (of === null) return undefined
  return of === '' ? null : cutText(of, 63)
}
