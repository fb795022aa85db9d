import { expect, test } from 'vitest'
import { cutLine, cutText } from './page-query.ts'

test.each([
  ['abc', 2, 'ab'],
  ['abc', 3, 'abc'],
  ['a🏠', 2, 'a'],
  ['a🏠', 3, 'a🏠'],
  ['', 5, ''],
  ['\0a\0b', 2, 'ab'],
])('cuts %j to at most %i characters: %j', (text, max, cut) => expect(cutText(text, max)).toBe(cut))

test.each([
  ['\0', ''],
  [' a\u0001\nb ', 'ab'],
  ['abcdef', 'abcd'],
])('puts %j on a single line: %j', (text, cut) => expect(cutLine(text, 4)).toBe(cut))
