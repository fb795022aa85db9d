import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { extensionOf, isFileId, makeFileId, nameProblem, typeOf } from './file.ts'

describe('a file id', () => {
  test.each(['a', '0', '-', '_', 'hic_9f2Kd81LmQ', 'A'.repeat(64)])('may be "%s"', (id) =>
    expect(isFileId(id)).toBe(true),
  )

  test.each(['', 'A'.repeat(65), '..', 'a/b', 'a\\b', 'a b', ' a', 'a\n', 'a\0', 'ä', 'a%2Fb', 'a=b'])(
    'may not be %j',
    (id) => expect(isFileId(id)).toBe(false),
  )

  test('consists of 128 random bits', () => {
    expect(makeFileId((count) => Buffer.alloc(count, 255))).toBe('_____________________w')
    const ids = Array.from({ length: 100 }, () => makeFileId(randomBytes))
    expect(ids.filter((id) => !isFileId(id))).toEqual([])
    expect(new Set(ids).size).toBe(100)
  })
})

test.each([
  ['agreement.pdf', 'pdf', 'application/pdf'],
  ['Agreement Garcia.PDF', 'pdf', 'application/pdf'],
  ['roof.front.jpeg', 'jpeg', 'image/jpeg'],
  ['plan.dwg', 'dwg', 'image/vnd.dwg'],
  ['page.html', 'html', 'text/html'],
  ['archive.tar.gz', 'gz', 'application/gzip'],
  ['data.unheardof', 'unheardof', 'application/octet-stream'],
  ['agreement', null, 'application/octet-stream'],
  ['agreement.', null, 'application/octet-stream'],
  ['.pdf', null, 'application/octet-stream'],
  ['pdf', null, 'application/octet-stream'],
  ['constructor', null, 'application/octet-stream'],
  ['a.constructor', 'constructor', 'application/octet-stream'],
  ['a.__proto__', '__proto__', 'application/octet-stream'],
])('%s has the extension %s and the type %s', (name, extension, type) => {
  expect(extensionOf(name)).toBe(extension)
  expect(typeOf(name)).toBe(type)
})

describe('a file name', () => {
  test.each([
    'a',
    '.profile',
    '...',
    ' spaced ',
    'Übersicht "neu".pdf',
    '👩‍👧.png',
    'C:notes',
    'x'.repeat(255),
  ])('may be "%s"', (name) => expect(nameProblem(name)).toBeNull())

  test.each([
    ['', 'must be 1 to 255 characters long'],
    ['x'.repeat(256), 'must be 1 to 255 characters long'],
    ['a/b', 'must not contain slashes or control characters'],
    ['a\\b', 'must not contain slashes or control characters'],
    ['a\0', 'must not contain slashes or control characters'],
    ['a\r\nSet-Cookie: b', 'must not contain slashes or control characters'],
    ['a\u0085', 'must not contain slashes or control characters'],
    ['a\uD83D', 'must not contain slashes or control characters'],
    ['.', 'must be a name'],
    ['..', 'must be a name'],
  ])('may not be %j', (name, reason) => expect(nameProblem(name)).toBe(reason))

  test.each([...'\u061C\u200B\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069\uFEFF'])(
    'may not contain %j',
    (mark) =>
      expect(nameProblem(`plan${mark}fdp.exe`)).toBe(
        'must not contain direction marks or invisible characters',
      ),
  )
})
