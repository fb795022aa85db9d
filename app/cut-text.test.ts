import { expect, test } from 'vitest'
import { cutText } from './cut-text.ts'

test.each([
  ['abc', 2, 'ab'],
  ['abc', 3, 'abc'],
  ['a🏠', 2, 'a'],
  ['a🏠', 3, 'a🏠'],
  ['', 5, ''],
])('%j cut after %i is %j', (text, max, cut) => expect(cutText(text, max)).toBe(cut))
