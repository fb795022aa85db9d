import { parseAsStringLiteral } from 'nuqs/server'
import { pageQuery } from '#app/page-query.ts'
import { homeScopes } from '#server/insight/wire.ts'

/** Query parameters of the Home page: whose deals to show. */
export const homeQuery = pageQuery('/', { show: parseAsStringLiteral(homeScopes) })
