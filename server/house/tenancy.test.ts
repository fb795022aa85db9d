import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

// Every function that queries the database takes a tenant: a parameter of one of the types below, which only
// actor.ts creates. Otherwise the docstring has a tag: `@system` for work on all partners, `@proof` for an argument
// that proves access.

const root = join(import.meta.dirname, '../..')
const product = globSync('server/**/*.ts', { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  // The copy's database belongs to the partner.
  .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('server/copy/'))
  .toSorted()
const texts = new Map(product.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
const outsideRooms = /^server\/(?:[\w-]+\.ts|(?:access|house|admission|http|net|programs|runtime|values)\/)/
/** Files with SQL, except for the source that reads another database. */
const stores = product.filter(
  (path) =>
    !outsideRooms.test(path) &&
    path !== 'server/sources/sql-source.ts' &&
    /\$client\b|^import [^;]*? from '(?:drizzle-orm[^']*|postgres|#db\/schema\/\w+\.ts)'$/m.test(
      texts.get(path)!,
    ),
)

/** An exported function with its text. */
interface Declared {
  name: string
  doc: string
  parameters: { name: string; type: string }[]
  body: string
}

const closing: Record<string, string> = { '(': ')', '{': '}', '[': ']', '<': '>' }

/** Returns the position of the bracket that closes the one at `start`. */
function endOf(text: string, start: number): number {
  const open: string[] = []
  for (let at = start; at < text.length; at++) {
    const sign = text[at]!
    if (sign === "'" || sign === '`') at = text.indexOf(sign, at + 1)
    else if (sign in closing) open.push(closing[sign]!)
    else if (sign === open.at(-1) && !(sign === '>' && text[at - 1] === '=')) open.pop()
    if (open.length === 0) return at
  }
  throw new Error(`not closed: ${text.slice(start, start + 80)}`)
}

/** Splits the text at these characters outside brackets. */
function splitOutside(text: string, sign: string): string[] {
  const parts = ['']
  for (let at = 0; at < text.length; at++) {
    if (text[at] === sign) parts.push('')
    else {
      const end = text[at]! in closing ? endOf(text, at) : at
      parts[parts.length - 1] += text.slice(at, end + 1)
      at = end
    }
  }
  return parts
}

function declaredIn(text: string): Declared[] {
  const heads = [
    ...text.matchAll(
      /^export (?:async )?(?:function\*? (\w+)(?:<.*?>)?(?=\()|const (\w+) = (?:async )?(?:<.*?>)?(?=\())/gm,
    ),
  ]
  return heads.flatMap((head) => {
    const start = head.index + head[0].length
    const end = endOf(text, start)
    // A bracketed expression, not a function.
    if (head[2] !== undefined && !/^\)(?:: [^=]+)? =>/.test(text.slice(end))) return []
    const doc = /\/\*\*((?:(?!\*\/)[^])*)\*\/\n$/.exec(text.slice(0, head.index))?.[1] ?? ''
    const parameters = splitOutside(text.slice(start + 1, end), ',')
      .filter((each) => each.trim() !== '')
      .map((field) => {
        const [name, ...type] = splitOutside(field, ':')
        return { name: name!.trim(), type: type.join(':').trim() }
      })
    return [
      {
        name: head[1] ?? head[2]!,
        doc,
        parameters,
        body: text.slice(end, text.indexOf('\n}', end) + 1 || undefined),
      },
    ]
  })
}

const tenant = String.raw`(?:PartnerId|Owner|TenantScope|Everyone)(?: \| (?:Owner|Everyone))?`
const isTenant = (type: string) => new RegExp(`^${tenant}$`).test(type)
const member = new RegExp(String.raw`\b(partnerId|tenant|owner): ${tenant}\s*(?:[,;}\n]|$)`)

const declarations = [...texts.values()].join('\n')

/** Returns the declaration of a type, or an empty string if no store declares it. */
const declarationOf = (name: string) =>
  new RegExp(
    String.raw`^(?:export )?(?:interface ${name}\b[^{]*\{[^]*?^\}|type ${name} = [^]*?(?=^\S|^$))`,
    'm',
  ).exec(declarations)?.[0] ?? ''

/** Returns the names of the tenant in a parameter; undefined if it has none or is optional. */
function tenantNamesOf({ name, type }: Declared['parameters'][number]): string[] | undefined {
  if (name.endsWith('?')) return undefined
  if (isTenant(type)) return [name]
  const named = [...type.matchAll(/\b[A-Z]\w+/g)].flatMap(([word]) => {
    const text = declarationOf(word)
    const [, base] = /^(?:export )?interface \w+ extends (\w+)/.exec(text) ?? []
    return base === undefined ? [text] : [text, declarationOf(base)]
  })
  const found = [type, ...named].map((text) => member.exec(text)?.[1]).find((each) => each !== undefined)
  return found === undefined ? undefined : [found, ...(/^\w+$/.test(name) ? [name] : [])]
}

const asksDatabase = ({ parameters }: Declared) =>
  parameters.some(({ type }) => /\b(?:Database|ReadDatabase|Transaction|TransactionSql|Sql)\b/.test(type))

/** Returns the problem of the signature, or null. */
function signatureProblem(declared: Declared): string | null {
  if (!asksDatabase(declared) || /@(?:system|proof) \w/.test(declared.doc)) return null
  const names = declared.parameters.map(tenantNamesOf).find((found) => found !== undefined)
  if (names === undefined) return `${declared.name} takes no tenant`
  return new RegExp(String.raw`\b(?:${names.join('|')})\b`).test(declared.body)
    ? null
    : `${declared.name} does not use ${names[0]}`
}

test.each(stores)('every query in %s is limited to the tenant', (path) => {
  expect(
    declaredIn(texts.get(path)!)
      .map(signatureProblem)
      .filter((problem) => problem !== null),
  ).toEqual([])
})

test('finds the functions of all stores', () => {
  const seen = stores.flatMap((path) => declaredIn(texts.get(path)!).filter(asksDatabase))
  const obvious = stores.flatMap((path) => [
    ...texts
      .get(path)!
      .matchAll(/^export .*\b(?:db|tx|sql): (?:Database|ReadDatabase|Transaction|TransactionSql|Sql)\b/gm),
  ])
  expect(seen.length).toBeGreaterThanOrEqual(obvious.length)
  expect(seen.length).toBeGreaterThan(120)
})

test('the check accepts a function only if it takes a tenant, which it must use, or says why not', () => {
  const problemOf = (parameters: string, body = 'x()') =>
    declaredIn(`export async function* read(${parameters}): AsyncGenerator<Row> {\n  ${body}\n}`).map(
      signatureProblem,
    )
  for (const rejected of [
    'db: Database | Transaction, id: number',
    'db: Database, partnerId: number',
    'db: Database, partnerId?: PartnerId',
    'db: Database, partnerId: TenantScope | undefined',
    'db: Database, partnerId: TenantScope = everyone',
    'db: Database, { partnerId }: { partnerId: PartnerId | undefined }',
    'db: Database, { partnerId }: { partnerId?: PartnerId }',
  ])
    expect(problemOf(rejected, 'x(partnerId)'), rejected).toEqual(['read takes no tenant'])
  expect(problemOf('db: Database, tenant: TenantScope')).toEqual(['read does not use tenant'])
  const arrow = 'export const count = (db: Database, id: number) => db.$count(x, id)\n'
  expect(declaredIn(arrow).map(signatureProblem)).toEqual(['count takes no tenant'])
  for (const accepted of [
    'db: Database, owner: TenantScope, id: number',
    'db: Database, { owner, limit }: { owner: Owner | Everyone; limit: number }',
    'id: number',
  ])
    expect(problemOf(accepted, 'x(owner)'), accepted).toEqual([null])
  const ofSystem = '/** Reads all. @system the worker */\nexport function read(db: Database) {\n  x()\n}'
  expect(declaredIn(ofSystem).map(signatureProblem)).toEqual([null])
})

describe('a function for all partners', () => {
  const system = new Set(
    stores.flatMap((path) =>
      declaredIn(texts.get(path)!)
        .filter(({ doc }) => doc.includes('@system'))
        .map(({ name }) => `${path} ${name}`),
    ),
  )
  /** Returns true if a file has procedures for users other than operators. */
  const isForPartners = (text: string) => /\b(?:open|personal|forAdmins|forManagers|scoped)\b/.test(text)

  test('is not used by procedures for partners', () => {
    // For operators, next to procedures for all roles.
    const exceptions = new Set([
      'server/deals/router.ts setPhone',
      'server/accounts/router.ts listPartners',
      'server/stages/router.ts readDescribedStages',
    ])
    const used = product
      .filter((path) => /(?:router|operations)\.ts$/.test(path) && isForPartners(texts.get(path)!))
      .flatMap((path) =>
        [...texts.get(path)!.matchAll(/^import \{([^}]*)\} from '(\.[^']+)'/gm)].flatMap(
          ([, names, target]) =>
            names!
              .split(',')
              .map((name) => name.trim())
              .filter((name) => system.has(`${join(path, '..', target!).replaceAll('\\', '/')} ${name}`))
              .map((name) => `${path} ${name}`),
        ),
      )
    expect(used.filter((each) => !exceptions.has(each))).toEqual([])
    expect(system.size).toBeGreaterThan(40)
  })

  test('gets `allPartners` only from actor.ts, commands and background jobs, not from rooms', () => {
    const users = product.filter((path) => /\ballPartners\b/.test(texts.get(path)!))
    expect(
      users.filter(
        (path) => path !== 'server/access/actor.ts' && !/^server\/(?:runtime\/|.*\/commands\.ts$)/.test(path),
      ),
    ).toEqual([])
  })
})
