import { expect, test } from 'vitest'
import { similarText } from './similar-text.ts'

test.each([
  [0, ['lopez', 'loper'], 'No exact match for “lobez”; showing similar: Lopez, Loper'],
  [1, ['lopez'], '1 exact match, then similar: Lopez'],
  [12, [], '12 exact matches, then similar'],
])('after %i exact matches, describes %j as %s', (exact, words, text) =>
  expect(similarText(exact, words, 'lobez ')).toBe(text),
)
