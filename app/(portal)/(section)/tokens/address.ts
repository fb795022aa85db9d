import { createLoader, createSerializer, type inferParserType, parseAsString } from 'nuqs/server'
import { cutText } from '#app/cut-text.ts'

/** What the address of the page of tokens says: whose are shown, by the partner's slug; empty: the installer's own. */
export const tokensParsers = { partner: parseAsString }

export type TokensState = inferParserType<typeof tokensParsers>

export const readTokensAddress = createLoader(tokensParsers)
export const tokensHref: (state: TokensState) => string = createSerializer(tokensParsers).bind(null, '/tokens')

/** What is asked for by the address. */
export const tokensInput = ({ partner }: TokensState, isEnded: boolean) => ({ isEnded, owner: partner === null ? undefined : partner === '' ? null : cutText(partner, 63) })
