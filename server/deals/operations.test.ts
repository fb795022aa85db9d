import { expect, test } from 'vitest'
import { pageLinks } from './operations.ts'
import { formatCursor, parseCursor } from './wire.ts'

const url = 'https://deals.example.com/api/deals'

const place = { closings: 2, position: 70 }

/** Returns the targets of the links by relation. */
function links(page: number, pages: number, partner?: string): Record<string, string> {
  return Object.fromEntries(
    pageLinks(url, { page, pages, size: 10, next: page < pages ? place : null, partner })
      .split(', ')
      .map((link) => {
        const [, target, relation] = /^<https:\/\/deals\.example\.com\/api\/deals\?(.*)>; rel="(\w+)"$/.exec(
          link,
        )!
        return [relation, target]
      }),
  )
}

test('a middle page links to the first, previous, next and last page', () => {
  const cursor = formatCursor({ ...place, page: 4 })
  expect(pageLinks(url, { page: 3, pages: 9, size: 25, next: place, partner: undefined })).toBe(
    `<${url}?page=1&size=25>; rel="first", <${url}?page=2&size=25>; rel="prev", <${url}?page=4&size=25&cursor=${cursor}>; rel="next", <${url}?page=9&size=25>; rel="last"`,
  )
})

test('the first page has no previous page, and the last page no next page', () => {
  expect(links(1, 3)).toEqual({
    first: 'page=1&size=10',
    next: `page=2&size=10&cursor=${formatCursor({ ...place, page: 2 })}`,
    last: 'page=3&size=10',
  })
  expect(links(3, 3)).toEqual({ first: 'page=1&size=10', prev: 'page=2&size=10', last: 'page=3&size=10' })
  expect(links(1, 1)).toEqual({ first: 'page=1&size=10', last: 'page=1&size=10' })
})

test('past the end, the previous page is the last existing page', () => {
  expect(links(2_147_483_647, 3)).toEqual({
    first: 'page=1&size=10',
    prev: 'page=3&size=10',
    last: 'page=3&size=10',
  })
  expect(links(4, 3)).toEqual({ first: 'page=1&size=10', prev: 'page=3&size=10', last: 'page=3&size=10' })
})

test('an empty list has one page, which is first and last', () => {
  expect(links(1, 0)).toEqual({ first: 'page=1&size=10', last: 'page=1&size=10' })
  expect(links(7, 0)).toEqual({ first: 'page=1&size=10', prev: 'page=1&size=10', last: 'page=1&size=10' })
})

test("links keep an internal caller's filter, which cannot break out of the link", () => {
  expect(links(1, 1, 'sunline')).toMatchObject({ first: 'page=1&size=10&partner=sunline' })
  expect(links(1, 1, 'a>; rel="x", <&size=1\r\n')).toEqual({
    first: 'page=1&size=10&partner=a%3E%3B+rel%3D%22x%22%2C+%3C%26size%3D1%0D%0A',
    last: 'page=1&size=10&partner=a%3E%3B+rel%3D%22x%22%2C+%3C%26size%3D1%0D%0A',
  })
})

test('parses its own output, which needs no escaping in a URL', () => {
  const cursor = { page: 2_147_483_647, closings: 12, position: 4_000_000_123 }
  const text = formatCursor(cursor)
  expect(text).toMatch(/^[\w-]+$/)
  expect(parseCursor(text)).toEqual(cursor)
})

test.each([
  '',
  ' ',
  '0',
  'x',
  'MS4yLjM=',
  'MS4yLjM.',
  ' MS4yLjM',
  'MS4yLjMK',
  'LTEuMi4z',
  '1.2.3',
  '\0',
  '\ud800',
])('rejects the cursor %j', (text) => expect(parseCursor(text)).toBeNull())

test('rejects numbers that are not in canonical form', () => {
  for (const text of ['01.2.3', '1.02.3', '1.2', '1.2.3.4', '1e1.2.3', `1.2.${'9'.repeat(16)}`, '-1.2.3'])
    expect(parseCursor(Buffer.from(text).toString('base64url')), text).toBeNull()
})
