import { createLoader, createSerializer, type inferParserType, parseAsString } from 'nuqs/server'
import { cutText } from '#app/cut-text.ts'

/** What the address of the page of tokens says beside the page's partner: whose are shown to an operator over all, by slug; empty: the installer's own. */
export const tokensParsers = { of: parseAsString }

export type TokensState = inferParserType<typeof tokensParsers>

export const readTokensQuery = createLoader(tokensParsers)
export const tokensHref: (state: TokensState) => string = createSerializer(tokensParsers).bind(
  null,
  '/tokens',
)

/** What is asked for by the address. */
export const tokensInput = ({ of }: TokensState, isEnded: boolean) => ({
  isEnded,
  owner: of === null ? undefined : of === '' ? null : cutText(of, 63),
})
