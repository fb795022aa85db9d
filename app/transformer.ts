import superjson from 'superjson'
import { Prepared } from '#server/prepared.ts'

// As server/procedure.ts tells the server's side.
superjson.registerCustom<Prepared<unknown>, string>({
  isApplicable: (value): value is Prepared<unknown> => value instanceof Prepared,
  serialize: ({ json }) => json ?? 'null',
  deserialize: (json) => new Prepared(json, ''),
}, 'prepared')

/** How values travel between the procedures and the pages. */
export const transformer = superjson
