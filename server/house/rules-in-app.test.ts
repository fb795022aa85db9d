import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { flagFields, timeFields } from '../deals/columns.ts'

// Rules about deal fields are in `server/`; pages show fields and rule results.

const root = join(import.meta.dirname, '../..')
const compared = ['stage', 'pipeline', 'amount', 'systemSize', ...timeFields].join('|')
const decision = new RegExp(
  [
    // Reading a flag is always a rule.
    `\\.(?:${flagFields.join('|')})\\b`,
    // Checking whether a field exists is not a rule.
    `\\.(?:${compared})!? (?:[!=]==|[<>]=?) (?!null\\b|undefined\\b)\\S+`,
    `\\.(?:${compared})!?\\.(?:startsWith|includes|match)\\(`,
  ].join('|'),
  'g',
)
const decisionsIn = (text: string) => [...text.matchAll(decision)].map(([found]) => found)

test('no page makes decisions from the fields of a deal', () => {
  const paths = globSync('app/**/*.{ts,tsx}', { cwd: root }).filter((path) => !path.endsWith('.test.ts'))
  expect(paths.length).toBeGreaterThan(200)
  expect(
    paths.flatMap((path) =>
      decisionsIn(readFileSync(join(root, path), 'utf8')).map((found) => `${path}: ${found}`),
    ),
  ).toEqual([])
})

test('no right is granted for not being a member: a new role would get it by accident', () => {
  const paths = globSync('{app,server}/**/*.{ts,tsx}', { cwd: root }).filter(
    (path) => !path.endsWith('.test.ts'),
  )
  const byExclusion = /(?:[!=]==|<>) 'member'/
  expect(paths.filter((path) => byExclusion.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
})

describe('the test', () => {
  test.each([
    'if (deal.hasOutstandingItems) return <Badge />',
    "deal.stage === 'Permit received'",
    'deal.createDate! < today',
    "deal.stage.startsWith('Permit')",
  ])('finds %s', (text) => {
    expect(decisionsIn(text)).toHaveLength(1)
  })

  test('allows pages to omit unknown values', () => {
    expect(decisionsIn('deal.stage !== null && <StageBadge stage={deal.stage} />')).toEqual([])
  })
})
