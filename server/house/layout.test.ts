import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nodeArguments } from '#e2e/system.ts'

// Compares the source with the drawing of the house: which folders may import which. Import rules that need no
// resolved paths are in .oxlintrc.json.

const root = join(import.meta.dirname, '../..')

interface Import {
  /** Path of the file in this project, or the name of a package. */
  target: string
  /** Whether only types are imported, which do not exist at run time. */
  typeOnly: boolean
}

interface Source {
  path: string
  text: string
  imports: Import[]
}

const paths = globSync(['server/**/*.ts', 'db/**/*.ts', 'app/**/*.ts', 'app/**/*.tsx'], { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .toSorted()
const product = new Map(
  paths.filter((path) => !path.endsWith('.test.ts')).map((path) => [path, readSource(path)]),
)

function readSource(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  const statement =
    /^(?:import|export)\s+(type\s+)?(\*(?:\s+as\s+\w+)?|[\w$]*,?\s*(?:\{[^}]*\})?)\s*from\s+'([^']+)'/gm
  const named = [...text.matchAll(statement)].map(([, type, names, target]) => ({
    target: resolve(path, target!),
    typeOnly: type !== undefined || takesTypes(names!),
  }))
  const bare = [...text.matchAll(/^import\s+'([^']+)'/gm), ...text.matchAll(/\bimport\('([^']+)'\)/g)].map(
    ([, target]) => ({ target: resolve(path, target!), typeOnly: false }),
  )
  return { path, text, imports: [...named, ...bare] }
}

/** Returns true if each name between the braces is a type. */
function takesTypes(names: string): boolean {
  return /^\{(?:\s*type\s+[\w$]+(?:\s+as\s+[\w$]+)?\s*,?)+\s*\}$/.test(names.trim())
}

function resolve(from: string, target: string): string {
  if (target.startsWith('#')) return target.slice(1)
  return target.startsWith('.') ? join(dirname(from), target).replaceAll('\\', '/') : target
}

/** Folders that are not rooms: those that all may use, and those that join the rooms. */
const floors = new Set(['access', 'admission', 'http', 'net', 'programs', 'runtime', 'values'])
const folderOf = (path: string) => /^server\/([^/]+)\//.exec(path)?.[1]
const roomOf = (path: string) => {
  const folder = folderOf(path)
  return folder === undefined || floors.has(folder) ? undefined : folder
}
/** Returns the room of a schema. */
const schemaOf = (path: string) => /^db\/schema\/(\w+)\.ts$/.exec(path)?.[1]
/** Returns true for a room's limits, durations and defaults. */
const isPolicy = (target: string) => /^server\/[\w-]+\/policy\.ts$/.test(target)
const isOurs = (target: string) => /^(?:server|db|app|e2e)\//.test(target)

/** Returns the forbidden imports. */
function offences(
  files: Iterable<Source>,
  allowed: (target: string, typeOnly: boolean, source: Source) => boolean,
): string[] {
  return [...files].flatMap((source) =>
    source.imports
      .filter(({ target, typeOnly }) => !allowed(target, typeOnly, source))
      .map(({ target }) => `${source.path} → ${target}`),
  )
}

const under = (folder: string) => [...product.values()].filter(({ path }) => path.startsWith(folder))

/** Returns the rooms in the drawing in `app/docs/develop/house.md`, from the ground up, with the rooms that each uses. */
function readDrawing(): Map<string, string[]> {
  const text = readFileSync(join(root, 'app/docs/develop/house.md'), 'utf8')
  const lines = [...text.matchAll(/^ {8}([a-z-]+)(?: +← (.*))?$/gm)]
  return new Map(lines.map(([, room, used = '']) => [room!, used.split(', ').filter(Boolean)]))
}

const drawing = readDrawing()

const rooms = under('server/').filter(({ path }) => roomOf(path) !== undefined)

/** Packages that use neither database nor network nor disk. */
const purePackages = new Set([
  'bowser',
  'htmlparser2',
  'mime-types',
  'node:buffer',
  'node:crypto',
  'node:net',
  'node:path',
  'node:url',
  'node:zlib',
  'numfmt',
  'papaparse',
  'superjson',
  'topojson-client',
  'which-polygon',
  'zod',
])

/** Returns true for a pure rule: a file that, with its imports, depends only on arguments. */
const isPure = (source: Source) =>
  [...reachedFrom([source])].every(
    (target) => purePackages.has(target) || (product.has(target) && !target.startsWith('db/')),
  )

describe('rooms', () => {
  test('use each other exactly as in the diagram, each only rooms above it; all may use jobs', () => {
    const used = Map.groupBy(
      rooms.flatMap(({ path, imports }) =>
        imports.map(({ target }) => ({ own: roomOf(path)!, other: roomOf(target) ?? schemaOf(target) })),
      ),
      ({ own }) => own,
    )
    const found = [...used].map(([own, imports]) => {
      const others = new Set(imports.flatMap(({ other = own }) => other))
      return [own, [...others].filter((other) => other !== own && other !== 'jobs').toSorted()] as const
    })
    const drawn = [...drawing].map(([room, others]) => [room, others.toSorted()] as const)
    expect(Object.fromEntries(drawn)).toEqual(Object.fromEntries(found))
    const order = [...drawing.keys()]
    for (const [room, others] of drawing)
      expect(
        others.filter((other) => order.indexOf(other) >= order.indexOf(room)),
        room,
      ).toEqual([])
  })

  // These handle requests and get their context; actions are shared by requests and commands.
  const doors = /\/(?:(?:[\w-]+-)?router|operations|actions|download|sign-in|auth-config)\.ts$/
  const commands = /\/(?:[\w-]+-)?commands?\.ts$/
  const isOfAll = (target: string) =>
    /^server\/(?:admission|net|values)\//.test(target) || target === 'server/errors.ts'
  const ofDoors = new Set([
    ...['actor', 'answer-size', 'audited', 'client', 'exports', 'procedure'].map(
      (name) => `server/access/${name}.ts`,
    ),
    'server/runtime/services.ts',
  ])

  test('import only values, admission, net and database; routers also access, commands also the runtime', () => {
    expect(
      offences(
        rooms,
        (target, _typeOnly, { path }) =>
          !isOurs(target) ||
          roomOf(target) !== undefined ||
          isOfAll(target) ||
          /^db\/(?:client|fragments|listen|schema\/\w+)\.ts$/.test(target) ||
          (doors.test(path) && ofDoors.has(target)) ||
          (commands.test(path) && (ofDoors.has(target) || target.startsWith('server/runtime/'))),
      ),
    ).toEqual([])
  })

  test('expose their router only to api.ts, except types, and their commands only to commands.ts', () => {
    expect(
      offences(product.values(), (target, typeOnly, { path }) => {
        const [, door] = /^server\/[\w-]+\/(router|commands)\.ts$/.exec(target) ?? []
        if (door === 'router') return path === 'server/api.ts' || typeOnly
        return door === undefined || path === 'server/commands.ts'
      }),
    ).toEqual([])
  })
})

describe('code above the rooms', () => {
  test('reads no tables: all SQL is in the rooms', () => {
    // One query across the tokens and the lists of deals, because every request waits for it.
    const exceptions = ['server/access/token-access.ts']
    const above = under('server/').filter(
      ({ path }) => roomOf(path) === undefined && !exceptions.includes(path),
    )
    expect(offences(above, (target) => !target.startsWith('db/schema/'))).toEqual([])
    expect(
      above
        .filter(({ text }) =>
          /\b(?:from|into|update|join) (?:deals?|deal_\w+|events|files|tokens|partners|users|sessions|stages|endpoints|deliveries|attempts|webhook_secrets|workers|token_days|audit_entries|imports)\b/.test(
            text,
          ),
        )
        .map(({ path }) => path),
    ).toEqual([])
  })

  test.each(['server/errors.ts', 'server/runtime/env.ts', ...[...product.keys()].filter(isPolicy)])(
    '%s is available to all rooms and uses none',
    (path) => {
      expect(
        offences(
          [product.get(path)!],
          (target) =>
            !isOurs(target) ||
            /^server\/values\/(?:clean|input|int64|issue-text|nearest-name|units)\.ts$/.test(target) ||
            (path.endsWith('/env.ts') && (isPolicy(target) || target === 'db/database-url.ts')),
        ),
      ).toEqual([])
    },
  )
})

describe('the database folder', () => {
  const isRule = (target: string) => rooms.some((room) => room.path === target && isPure(room))

  test('uses only scheduling and job kinds of the server; its schema only pure rules, the demo also deals and days', () => {
    const ofAll = ['server/admission/scheduling.ts', 'server/jobs/kinds.ts']
    const ofDemo = ['server/deals/deal.ts', 'server/values/units.ts', 'server/values/zone.ts']
    expect(
      offences(under('db/'), (target, _typeOnly, { path }) => {
        if (!isOurs(target)) return true
        const [, part] = /^db\/(schema|demo)\//.exec(path) ?? []
        if (part === 'schema') return target.startsWith('db/schema/') || isRule(target)
        if (part === 'demo') return target.startsWith('db/demo/') || ofDemo.includes(target)
        return target.startsWith('db/') || ofAll.includes(target)
      }),
    ).toEqual([])
  })
})

describe('pure rules', () => {
  const values = under('server/values/')
  const rules = [...rooms.filter(isPure), ...values]

  test('include the values, which use nothing but errors', () => {
    expect(values.filter((source) => !isPure(source)).map(({ path }) => path)).toEqual([])
    expect(
      offences(values, (target) => !isOurs(target) || /^server\/(?:values\/|errors\.ts$)/.test(target)),
    ).toEqual([])
  })

  test('have no clock, randomness or environment of their own', () => {
    // All of its dependencies are passed in.
    const exceptions = new Set(['server/webhooks/attempt.ts'])
    const own =
      /Date\.now|new Date\(\)|performance\.|Math\.random|randomBytes|randomUUID|process\.\w|globalThis/
    expect(rules.filter(({ text }) => own.test(text)).map(({ path }) => path)).toEqual([...exceptions])
  })
})

/** Returns everything that runs with these: files of this project, and the packages they import. */
function reachedFrom(start: Source[], ends: (source: Source) => boolean = () => false): Set<string> {
  const seen = new Set<string>()
  const visit = (source: Source) => {
    for (const { target, typeOnly } of source.imports) {
      if (typeOnly || seen.has(target)) continue
      seen.add(target)
      const next = product.get(target)
      if (next !== undefined && !ends(next)) visit(next)
    }
  }
  start.forEach(visit)
  return seen
}

test('the REST interface loads no router, and few files', () => {
  const reached = [...reachedFrom([product.get('server/http/rest.ts')!])].filter((path) => product.has(path))
  expect(reached.filter((path) => path.endsWith('/router.ts') || path === 'server/api.ts')).toEqual([])
  expect(reached.length).toBeLessThan(200)
})

describe('the program that copies deals', () => {
  const program = globSync('server/copy/**/!(*.test).ts', { cwd: root }).map(readSource)

  test('runs at the partner, so it uses nothing of the server but the table of fields', () => {
    expect(program.length).toBeGreaterThan(10)
    const ofPartner = new Set([
      'postgres',
      'mysql2/promise',
      'public/clients/partner-deals.ts',
      'server/deals/deal.ts',
    ])
    expect(
      offences(
        program,
        (target) => target.startsWith('server/copy/') || target.startsWith('node:') || ofPartner.has(target),
      ),
    ).toEqual([])
  })

  test('is not used by the product', () => {
    const others = [...product.values()].filter(({ path }) => !path.startsWith('server/copy/'))
    expect(offences(others, (target) => !target.startsWith('server/copy/'))).toEqual([])
  })
})

describe('pages', () => {
  // Pages call these like any other client, as the signed-in user.
  const entries = new Set(
    [
      'accounts/sign-in/sign-in',
      'access/actor',
      'access/answer-size',
      'api',
      'access/client',
      'errors',
      'http/largest-answer',
      'http/page-partner',
      'access/procedure',
      'runtime/services',
      'http/streamed',
      'admission/scheduling',
    ].map((name) => `server/${name}.ts`),
  )
  const isPureTarget = (target: string) => product.has(target) && isPure(product.get(target)!)

  test('reach the server only through its entry points and pure rules; types may come from anywhere', () => {
    expect(
      offences(
        under('app/'),
        (target, typeOnly) =>
          !isOurs(target) ||
          target.startsWith('app/') ||
          target === 'public/openapi.json' ||
          (target.startsWith('server/') && (typeOnly || entries.has(target) || isPureTarget(target))),
      ),
    ).toEqual([])
  })

  test('bring only pure rules into the browser', () => {
    const inBrowser = under('app/').filter(({ text }) => text.startsWith("'use client'"))
    expect(inBrowser.length).toBeGreaterThan(1)
    // Server actions are called from there, not bundled.
    const carried = [...reachedFrom(inBrowser, ({ text }) => text.startsWith("'use server'"))]
    expect(carried.filter((target) => /^(?:server|db)\//.test(target) && !isPureTarget(target))).toEqual([])
    expect(
      carried.filter(
        (target) =>
          target.startsWith('node:') || /^(?:postgres|drizzle-orm|@trpc\/server|next-auth)\b/.test(target),
      ),
    ).toEqual([])
  })
})

describe('in all files', () => {
  test('only actor.ts creates a tenant scope; workers get partners from the database', () => {
    expect(
      [...product.values()]
        .filter(({ text }) =>
          /\bas (?:unknown as )?(?:PartnerId|Owner|TenantScope|Everyone|EndpointName)\b/.test(text),
        )
        .map(({ path }) => path),
    ).toEqual(['server/access/actor.ts', 'server/programs/handlers.ts', 'server/webhooks/queue-store.ts'])
    expect(
      [...product.values()]
        .filter(({ text }) => /<(?:PartnerId|Owner)>`/.test(text))
        .map(({ path }) => path)
        .every((path) => path.endsWith('store.ts')),
    ).toBe(true)
    // The database knows partners; no value of it means everyone.
    expect(
      [...product.values()]
        .filter(({ text }) => /sql<[^>]*(?:TenantScope|Everyone)/.test(text))
        .map(({ path }) => path),
    ).toEqual([])
  })

  test('a route that generates its response handles HEAD itself, because Next would generate and drop it', () => {
    const routes = [...product.values()].filter(
      ({ path, imports }) =>
        path.endsWith('/route.ts') &&
        imports.some(({ target }) => /^(?:app\/csv-answer|server\/http\/streamed)\.ts$/.test(target)),
    )
    expect(routes.length).toBeGreaterThanOrEqual(3)
    expect(
      routes
        .filter(({ text }) => !text.includes('export { answer as GET, answer as HEAD }'))
        .map(({ path }) => path),
    ).toEqual([])
  })

  test('the product uses no package meant only for tests or builds', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>
    }
    const ofMaking = new Set(Object.keys(devDependencies).filter((name) => !name.startsWith('@types/')))
    const packageOf = (target: string) =>
      target
        .split('/')
        .slice(0, target.startsWith('@') ? 2 : 1)
        .join('/')
    const tools = [
      'db/drizzle.config.ts',
      'db/test-database.ts',
      'server/programs/build.ts',
      'server/programs/build-copy.ts',
    ]
    expect(
      offences(
        product.values(),
        (target, _typeOnly, { path }) =>
          tools.includes(path) ||
          // Bundled with its packages.
          path.startsWith('server/copy/') ||
          (!ofMaking.has(packageOf(target)) && !target.startsWith('e2e/') && !tools.includes(target)),
      ),
    ).toEqual([])
  })

  test('no file or folder has a vague name', () => {
    const vague = /(?:^|\/)(?:utils?|libs?|helpers?|common|shared|misc|types|index)(?:\.|\/|$)/
    expect([...paths, ...globSync('e2e/**/*.ts', { cwd: root })].filter((path) => vague.test(path))).toEqual(
      [],
    )
  })

  test('servers and workers run with the same Node flags, from npm and in a container', () => {
    const text = (path: string) => readFileSync(join(root, path), 'utf8')
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<'start' | 'worker', string> }
    const [, entrypoint] = /^ENTRYPOINT (\[.*\])$/m.exec(text('server/programs/container/Containerfile'))!
    const flags = [scripts.start, scripts.worker].map((script) => / node (.*) server\//.exec(script)![1])
    const [, ...inContainer] = JSON.parse(entrypoint!) as string[]
    expect([...flags, inContainer.join(' ')]).toEqual(Array(3).fill(nodeArguments.join(' ')))
  })

  test('files and directories are private when created, whatever the umask', () => {
    // Build output is not data.
    const builders = new Set([
      'server/programs/build.ts',
      'server/programs/build-copy.ts',
      'server/programs/container/runtime-files.ts',
    ])
    // The place for what PostgreSQL's user must reach when running as root; its databases are private.
    const shared = /mkdir\(place, \{ recursive: true \}\)/
    const writes =
      /(?<![.\w])(?:(?:mkdir|writeFile|appendFile|createWriteStream|copyFile)(?:Sync)?\(|open(?:Sync)?\([^()]*(?:\([^()]*\)[^()]*)*'(?:a|ax|w|wx)\+?')/
    const open = [...under('server/'), ...under('db/')]
      .filter(({ path }) => !builders.has(path))
      .flatMap(({ path, text }) =>
        text
          .split('\n')
          .filter((line) => writes.test(line) && !/\b0o(?:600|700|711)\b/.test(line) && !shared.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      )
    expect(open).toEqual([])
  })
})
