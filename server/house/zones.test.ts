import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// Days are read in the user's zone, which a substring of an instant, or a format in UTC, ignores.

const root = join(import.meta.dirname, '../..')
const paths = globSync(['app/**/*.{ts,tsx}', 'server/{deals,insight}/**/*.ts'], { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.endsWith('.test.ts'))

const forgetful = [
  /toISOString\(\)\s*\.(?:slice|split|substring|substr)\b/,
  /\btimeZone: 'UTC'/,
  /\.toLocale(?:Date|Time)String\(/,
  /\bget(?:Date|Day|Hours|Month|FullYear)\(\)/,
  /86_?400_?000/,
  /\b(?:\w*\.)?time\.slice\(0, 10\)/,
]

test('no page and no rule of deals cuts a day from an instant', () => {
  expect(paths.length).toBeGreaterThan(200)
  const found = paths.flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return forgetful.some((form) => form.test(text)) ? [path] : []
  })
  expect(found).toEqual([])
})
