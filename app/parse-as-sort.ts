import { createParser } from 'nuqs/server'

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
