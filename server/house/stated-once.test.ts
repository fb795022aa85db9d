import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stageKinds } from '../stages/stage.ts'
import { tokenPrefix } from '../tokens/policy.ts'

// Each fact is defined in one place.

const root = join(import.meta.dirname, '../..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const pathsOf = (pattern: string) => globSync(pattern, { cwd: root })

const kinds = stageKinds.join('|')
const literalKind = new RegExp(
  `\\bkind(?:Of\\([^)]*\\))? (?:[!=]==|=|<>) '(?:${kinds})'|stageKind [!=]== '|\\bkind (?:not )?in \\('(?:${kinds})'`,
)

/** Returns whether a statement or expression depends on the name of a stage's kind. */
const decidesByKind = (text: string) => literalKind.test(text)

test('only stages interpret stage kinds', () => {
  const paths = pathsOf('{app,server}/**/*.{ts,tsx}').filter((path) => !path.endsWith('.test.ts'))
  expect(paths.length).toBeGreaterThan(400)
  expect(paths.filter((path) => !path.startsWith('server/stages/') && decidesByKind(textOf(path)))).toEqual(
    [],
  )
})

test('only the stored status decides if a deal is late', () => {
  const paths = pathsOf('{app,server}/**/*.{ts,tsx}').filter((path) => !path.endsWith('.test.ts'))
  expect(paths.filter((path) => /\bcolumnIsOnDays\b/.test(textOf(path))).toSorted()).toEqual([
    'server/search/status-store.ts',
    'server/search/step-store.ts',
  ])
})

test('token scanners import the prefix', () => {
  const isSearch = new RegExp(`/[^/\\n]*${tokenPrefix}[^/\\n]*\\|[^\\n]*/|\\['${tokenPrefix}'`)
  expect(pathsOf('{app,server,e2e}/**/*.{ts,tsx}').filter((path) => isSearch.test(textOf(path)))).toEqual([])
})

test('a minute, an hour and a day have their milliseconds from units.ts', () => {
  const isSpelledOut =
    /(?<![\w.])(?:60_?000|3_?600_?000|86_?400_?000)(?!\w)|60 \* 1000|60 \* 60 \* 24 \* 1000/
  const paths = pathsOf('{app,server}/**/*.{ts,tsx}').filter((path) => !path.endsWith('.test.ts'))
  expect(paths.filter((path) => isSpelledOut.test(textOf(path)))).toEqual([])
})

describe('the test', () => {
  test.each([
    "if (stageKind === 'won') return",
    "kindOf(stage) === 'on-hold'",
    "select name from stages where kind = 'lost'",
    "where kind in ('won', 'lost')",
  ])('finds %s', (text) => expect(decidesByKind(text)).toBe(true))

  test.each(["state.is.includes('lost')", "kind: 'open'", "endpoint.kind === 'create'"])(
    'passes over %s',
    (text) => expect(decidesByKind(text)).toBe(false),
  )
})
