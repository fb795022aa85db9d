import { createLoader, createSerializer, parseAsStringLiteral } from 'nuqs/server'
import { homeScopes } from '#server/insight/home/wire.ts'

/** The query of Home: whose deals it shows. */
export const homeParsers = { show: parseAsStringLiteral(homeScopes) }

export const readHomeQuery = createLoader(homeParsers)

const serialize = createSerializer(homeParsers)

/** Returns the URL of Home. */
export const homeHref = (state: Parameters<typeof serialize>[1] = {}) => serialize('/', state)
