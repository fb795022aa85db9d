import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { checkSync } from 'recheck'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { parseAst } from 'vitest/node'
import { z } from 'zod'

// Proves that every regular expression of the product takes linear time, so that no input can block the process.

const root = join(import.meta.dirname, '../..')
const paths = globSync(['server/**/*.ts', 'db/**/*.{ts,mjs}', 'app/**/*.{ts,tsx}'], { cwd: root }).filter(
  (path) => !path.endsWith('.test.ts'),
)

/** The regular expressions of a source file, and expressions that are only known at run time. */
interface Found {
  expressions: RegExp[]
  computed: string[]
  /** Normalized texts that may contain runs of combining marks. */
  unsorted: string[]
}

interface Node {
  type: string
  start: number
  end: number
  regex?: { pattern: string; flags: string }
  callee?: Node
  object?: Node
  property?: Node
  name?: string
  value?: unknown
  arguments?: Node[]
}

/** Functions that turn a string into a regular expression. */
const compiling = new Set(['match', 'matchAll', 'search'])

function readExpressions(path: string, text: string): Found {
  const found: Found = { expressions: [], computed: [], unsorted: [] }
  const textOf = ({ start, end }: Node) => text.slice(start, end)
  walk(parseAst(text, { lang: extname(path).slice(1) as 'tsx' | 'ts' | 'js' }) as unknown as Node, (node) => {
    if (node.regex !== undefined) found.expressions.push(new RegExp(node.regex.pattern, node.regex.flags))
    if (node.type === 'MemberExpression' && textOf(node).startsWith('z.regexes.'))
      found.computed.push(textOf(node))
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return
    const callee = textOf(node.callee!)
    const [first] = node.arguments!
    if (
      callee === 'RegExp' ||
      (compiling.has(node.callee!.property?.name ?? '') &&
        (typeof first?.value === 'string' || first?.type === 'TemplateLiteral'))
    )
      found.computed.push(textOf(node))
    if (
      node.callee!.property?.name === 'normalize' &&
      !/(?:\.replaceAll\(\/\\p\{M\}\/gu, ''\)|\.slice\(0, \w+\))$/.test(textOf(node.callee!.object!))
    )
      found.unsorted.push(textOf(node))
    const [, format] = /^z\.(?:iso\.)?(\w+)$/.exec(callee) ?? []
    if (format !== undefined && (format in z.regexes || callee.startsWith('z.iso.')))
      found.expressions.push(...patternsOf(callee, format))
  })
  return found
}

/** Returns the regular expression that zod uses for a format, if any. */
function patternsOf(callee: string, format: string): RegExp[] {
  const make = (callee.startsWith('z.iso.') ? z.iso : z)[format as never] as () => z.ZodType & {
    def: { pattern?: unknown }
  }
  const { pattern } = make().def
  return pattern instanceof RegExp ? [pattern] : []
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return
  if ('type' in value && typeof value.type === 'string') visit(value as Node)
  for (const inner of Object.values(value)) walk(inner, visit)
}

/** Returns why an expression is not proven to be linear, or null. Look-arounds and back references cannot be proven. */
function problemOf({ source, flags }: RegExp): string | null {
  const result = checkSync(source, flags, { checker: 'automaton', timeout: null })
  if (result.status === 'safe') return null
  return `/${source}/${flags} ${result.status === 'vulnerable' ? result.complexity.summary : result.error.kind}`
}

/** A cache of proven expressions, because proving all takes 9 s. Installing another checker removes the cache. */
const provenPath = join(root, 'node_modules/.cache/linear-expressions.json')

function readProven(): Set<string> {
  try {
    return new Set(JSON.parse(readFileSync(provenPath, 'utf8')) as string[])
  } catch {
    return new Set()
  }
}

// Otherwise the checker looks for Java or a native binary.
beforeAll(() => {
  vi.stubEnv('RECHECK_SYNC_BACKEND', 'pure')
})

const product = paths.map((path) => ({
  path,
  ...readExpressions(path, readFileSync(join(root, path), 'utf8')),
}))

test('every regular expression of the product takes linear time', () => {
  const places = new Map<string, { expression: RegExp; path: string }>()
  for (const { path, expressions } of product)
    for (const expression of expressions) places.set(String(expression), { expression, path })
  expect(places.size).toBeGreaterThan(100)
  const proven = readProven()
  const problems = [...places].flatMap(([text, { expression, path }]) => {
    const problem = proven.has(text) ? null : problemOf(expression)
    return problem === null ? [] : [`${path}: ${problem}`]
  })
  expect(problems).toEqual([])
  mkdirSync(dirname(provenPath), { recursive: true })
  writeFileSync(provenPath, JSON.stringify([...places.keys()]))
}, 120_000)

test('no regular expression is built at run time', () => {
  expect(product.flatMap(({ path, computed }) => computed.map((text) => `${path}: ${text}`))).toEqual([])
})

test('combining marks are stripped before normalizing, which sorts marks in quadratic time', () => {
  // The demo has only texts of this project.
  expect(
    product
      .filter(({ path }) => !path.startsWith('db/demo/'))
      .flatMap(({ path, unsorted }) => unsorted.map((text) => `${path}: ${text}`)),
  ).toEqual([])
})

describe('the regular expression check', () => {
  const check = (text: string) => readExpressions('x.ts', text)

  test.each([
    ['const a = /\\s+$/', '2nd degree polynomial'],
    ['const b: RegExp = /^\\s*(\\+?[\\d\\s]+?)\\s*$/', '3rd degree polynomial'],
    ['f(/^(a+)+$/)', 'exponential'],
    ['const c = /^(?=a+)b/', 'unsupported'],
  ])('finds %s', (text, problem) => {
    expect(check(text).expressions.map(problemOf)).toEqual([expect.stringContaining(problem)])
  })

  test.each([
    'new RegExp(text)',
    'RegExp("a+")',
    'text.match("a+$")',
    'text.search(`${a}`)',
    'z.string().regex(z.regexes.html5Email)',
  ])('rejects %s', (text) => {
    expect(check(text).computed).toHaveLength(1)
  })
})
