import {
  type ParserMap,
  createLoader,
  createParser,
  createSerializer,
  type inferParserType,
} from 'nuqs/server'

/** Returns the query parameters of the page at `path`, with functions that read and write its URL. */
export function pageQuery<Parsers extends ParserMap>(path: string, parsers: Parsers) {
  const serialize = createSerializer(parsers)
  return {
    parsers,
    read: createLoader(parsers),
    href: (state: Partial<PageState<{ parsers: Parsers }>> = {}, base = path) => serialize(base, state),
  }
}

/** Values of a page's query parameters. */
export type PageState<Query extends { parsers: ParserMap }> = inferParserType<Query['parsers']>

/**
 * Returns the first `max` characters of a string, without NUL characters and without half a surrogate pair at
 * the end. Inputs would reject both.
 */
export const cutText = (text: string, max: number) =>
  text
    .replaceAll('\0', '')
    .slice(0, max)
    .replace(/\p{Cs}$/u, '')

/** Like `cutText`, but also removes line breaks and control characters, which inputs would reject. */
export const cutLine = (text: string, max: number) => cutText(text.replaceAll(/\p{Cc}/gu, ''), max).trim()

/** Returns a parser for a sort order by one of these fields: `name`, or `-name` for descending order. */
export const parseAsSort = <Field extends string>(fields: readonly Field[]) =>
  createParser<{ field: Field; direction: 'asc' | 'desc' }>({
    parse(text) {
      const field = fields.find((each) => each === text.replace(/^-/, ''))
      return field === undefined ? null : { field, direction: text.startsWith('-') ? 'desc' : 'asc' }
    },
    serialize: ({ field, direction }) => (direction === 'desc' ? `-${field}` : field),
    eq: (a, b) => a.field === b.field && a.direction === b.direction,
  })
