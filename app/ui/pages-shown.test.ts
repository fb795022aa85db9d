import { expect, test } from 'vitest'
import { pagesShown } from './pages-shown.ts'

test.each([
  [1, 1, [1]],
  [1, 3, [1, 2, 3]],
  [1, 44, [1, 2, null, 44]],
  [3, 44, [1, 2, 3, 4, null, 44]],
  [4, 44, [1, 2, 3, 4, 5, null, 44]],
  [20, 44, [1, null, 19, 20, 21, null, 44]],
  [41, 44, [1, null, 40, 41, 42, 43, 44]],
  [44, 44, [1, null, 43, 44]],
])('on page %i of %i', (page, pages, shown) => {
  expect(pagesShown(page, pages)).toEqual(shown)
})
