import { createLoader, createSerializer, parseAsStringLiteral } from 'nuqs/server'
import { homeScopes } from '#server/insight/wire.ts'

/** Query parameters of the Home page: whose deals to show. */
export const homeParsers = { show: parseAsStringLiteral(homeScopes) }

export const readHomeQuery = createLoader(homeParsers)

const serialize = createSerializer(homeParsers)

/** Returns the URL of the Home page. */
export const homeHref = (state: Parameters<typeof serialize>[1] = {}) => serialize('/', state)
