import { expect, test } from 'vitest'
import { findHeader } from './header-row.ts'

const titles = ['Deal ID', 'Stage', 'Color']
const deal = ['20411000193', 'NTP', 'red']

test.each([
  ['the first', [titles, deal], 0],
  ['below a title', [['Deals of March', '', ''], titles, deal], 1],
  ['below a title that fills each column', [['Deals', 'Deals', 'Deals'], titles, deal], 1],
  ['below notes of two cells', [['Made by', 'Ana'], ['On', '3/1/2026'], titles, deal], 2],
  ['of unknown titles', [['Deals of March'], ['Nummer', 'Stadt', 'Farbe'], deal], 1],
  ['above values that also look like titles', [titles, ['1', 'Stage', 'x']], 0],
  ['of a single column', [['id'], ['1']], 0],
  [
    'of rejected rows',
    [
      ['Line', 'Reasons', 'a'],
      ['2', 'Stage', 'Deal ID'],
    ],
    0,
  ],
  [
    'of only numbers',
    [
      ['1', '2'],
      ['3', '4'],
    ],
    0,
  ],
  ['nowhere', [], 0],
])('finds the header row: %s', (_what, rows, index) => expect(findHeader(rows)).toBe(index))
