import { expect, test } from 'vitest'
import { commonArea, pointOf } from './point.ts'

test.each([
  ['33.4484,-112.0740', { latitude: 33.4484, longitude: -112.074 }],
  [' 33.4484 ; -112.074 ', { latitude: 33.4484, longitude: -112.074 }],
  ['33,-112', { latitude: 33, longitude: -112 }],
  ['-112.0740,33.4484', null],
  ['33.4484,-212.0740', null],
  ['0,0', null],
  ['0.0, 0.000', null],
  ['', null],
  ['Phoenix', null],
  ['33.4484', null],
  ['33.4484,-112.0740,5', null],
])('parses %s as %o', (coordinates, point) => expect(pointOf(coordinates)).toEqual(point))

test('intersects areas', () => {
  const area = (west: number, south: number, east: number, north: number) => ({ west, south, east, north })
  expect(commonArea(area(-112, 33, -110, 35), area(-111, 30, -100, 34))).toEqual(area(-111, 33, -110, 34))
  expect(commonArea(area(-112, 33, -110, 35), area(-109, 33, -108, 35))).toBeNull()
  expect(commonArea(area(-112, 33, -110, 35), area(-112, 36, -110, 37))).toBeNull()
})
