import { expect, test } from 'vitest'
import { wordsToLookUp } from './candidate-store.ts'

const words = ['maria', 'g']

test.each([
  // A rare word suffices.
  [words, [200, 3000, 300_000], [['maria']]],
  [['g', 'maria'], [200, 300_000, 3000], [['maria']]],
  [['maria'], [0, 0], [['maria']]],
  // Only the combination of words is rare.
  [words, [9000, 30_000, 300_000], [words]],
  [words, [9000, 200_000, 300_000], [words]],
  // The combination is common, so the rarest word is looked up, unless that word is too common.
  [words, [20_000, 70_000, 300_000], [['maria']]],
  [words, [20_000, 80_000, 300_000], []],
  [['g'], [300_000, 300_000], []],
  [[], [], []],
])('for the words %j with the counts %j, looks up %j in the index', (all, counts, looked) => {
  expect(wordsToLookUp(all, counts)).toEqual(looked)
})
