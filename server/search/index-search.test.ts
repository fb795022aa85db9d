import { expect, test } from 'vitest'
import { wordsToAsk } from './index-search.ts'

const words = ['maria', 'g']

test('asks for a rare word alone', () => {
  expect(wordsToAsk(words, [200, 3000, 300_000])).toEqual([['maria']])
  expect(wordsToAsk(['g', 'maria'], [200, 300_000, 3000])).toEqual([['maria']])
  expect(wordsToAsk(['maria'], [0, 0])).toEqual([['maria']])
})

test('asks for all words if only the combination is rare', () => {
  expect(wordsToAsk(words, [9000, 30_000, 300_000])).toEqual([words])
  expect(wordsToAsk(words, [9000, 200_000, 300_000])).toEqual([words])
})

test('asks for the rarest of words that are common together, unless that is too common as well', () => {
  expect(wordsToAsk(words, [20_000, 70_000, 300_000])).toEqual([['maria']])
  expect(wordsToAsk(words, [20_000, 80_000, 300_000])).toEqual([])
  expect(wordsToAsk(['g'], [300_000, 300_000])).toEqual([])
})

test('asks for no words if there are none', () => {
  expect(wordsToAsk([], [])).toEqual([])
})
