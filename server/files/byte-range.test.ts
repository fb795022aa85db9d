import { expect, test } from 'vitest'
import { readRange } from './byte-range.ts'

test.each([
  [undefined, 10, undefined],
  ['', 10, undefined],
  ['bytes=-', 10, undefined],
  ['items=0-1', 10, undefined],
  ['bytes=0-1,4-5', 10, undefined],
  ['bytes=5-4', 10, undefined],
  ['bytes=0-', 10, { start: 0, end: 9 }],
  ['bytes=0-0', 10, { start: 0, end: 0 }],
  ['bytes=3-99', 10, { start: 3, end: 9 }],
  ['bytes=9-', 10, { start: 9, end: 9 }],
  ['bytes=10-', 10, null],
  ['bytes=-3', 10, { start: 7, end: 9 }],
  ['bytes=-99', 10, { start: 0, end: 9 }],
  ['bytes=-0', 10, null],
  ['bytes=0-', 0, undefined],
  ['bytes=0-1023', 0, undefined],
  ['bytes=5-', 0, undefined],
  ['bytes=-1', 0, undefined],
  ['bytes=-0', 0, undefined],
])('parses the range %s of %i bytes as %j', (header, sizeBytes, range) =>
  expect(readRange(header, sizeBytes)).toEqual(range),
)
