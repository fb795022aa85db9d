import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { flagFields, timeFields } from '../deals/columns.ts'
import { stageKinds } from '../stages/stage.ts'
import { tokenPrefix } from '../tokens/policy.ts'

// What the text of the product contains in named files only, or nowhere. Rules that a linter can state are in
// .oxlintrc.json.

const root = join(import.meta.dirname, '../..')

/** What only some files may contain. */
interface Rule {
  what: string
  /** The files that it holds for; the whole product without. */
  files?: string[]
  pattern: RegExp
  /** The files that contain it, and must. */
  only?: string[]
  /** Texts that would be found, and texts that would not. */
  finds?: string[]
  allows?: string[]
}

const kinds = stageKinds.join('|')
const compared = ['stage', 'pipeline', 'amount', 'systemSize', ...timeFields].join('|')
const commands = '**/{commands,*-command,*-commands,undo-import}.ts'

const rules: Rule[] = [
  {
    // A second writer of CSV would have its own definition of formulas in a spreadsheet.
    what: 'the writing of CSV',
    pattern: /(?:'""'|"\\"\\""|`""`|'\$&\$&')|from '(?:papaparse|csv-stringify\S*|csv-writer|fast-csv\S*)'/,
    only: [
      // Quotes in Power Query.
      'app/(portal)/sheet-texts.ts',
      // Names in SQL.
      'server/backup/store.ts',
      // Quotes that are read.
      'server/readers/csv-source.ts',
      // Names in SQL.
      'server/sources/sql/columns.ts',
      'server/values/csv.ts',
    ],
    finds: [`text.replaceAll('"', '""')`, `import papaparse from 'papaparse'`],
  },
  {
    // The pages' bundler shortens the names of libraries' errors, so logs take them from `errorName`.
    what: 'the name of an error, unless it is compared',
    pattern: /^(?!.*(?:test|includes)\().*\b(?:error|cause)\)?\??\.name\b/m,
    finds: ['log(error.name)'],
    allows: ['if (/abort/i.test(error.name)) return'],
  },
  {
    // Days are read in the user's zone.
    what: 'a day cut from an instant',
    files: ['app/**', 'server/{deals,insight}/**'],
    pattern:
      /toISOString\(\)\s*\.(?:slice|split|substring|substr)\b|\btimeZone: 'UTC'|\.toLocale(?:Date|Time)String\(|\bget(?:Date|Day|Hours|Month|FullYear)\(\)|86_?400_?000|\b(?:\w*\.)?time\.slice\(0, 10\)/,
    finds: ['new Date().toISOString().slice(0, 10)'],
  },
  {
    // Reading a flag is always a rule; checking whether a field exists is not.
    what: 'a decision of a page from a field of a deal',
    files: ['app/**'],
    pattern: new RegExp(
      [
        `\\.(?:${flagFields.join('|')})\\b`,
        `\\.(?:${compared})!? (?:[!=]==|[<>]=?) (?!null\\b|undefined\\b)\\S+`,
        `\\.(?:${compared})!?\\.(?:startsWith|includes|match)\\(`,
      ].join('|'),
    ),
    finds: [
      'if (deal.hasOutstandingItems) return <Badge />',
      "deal.stage === 'Permit received'",
      'deal.createDate! < today',
      "deal.stage.startsWith('Permit')",
    ],
    allows: ['deal.stage !== null && <StageBadge stage={deal.stage} />'],
  },
  {
    // A new role would get the right by accident.
    what: 'a right for not being a member',
    pattern: /(?:[!=]==|<>) 'member'/,
  },
  {
    what: 'a stage kind, outside of the stages',
    files: ['{app,server}/!(stages)/**'],
    pattern: new RegExp(
      `\\bkind(?:Of\\([^)]*\\))? (?:[!=]==|=|<>) '(?:${kinds})'|stageKind [!=]== '|\\bkind (?:not )?in \\('(?:${kinds})'`,
    ),
    finds: [
      "if (stageKind === 'won') return",
      "kindOf(stage) === 'on-hold'",
      "select name from stages where kind = 'lost'",
      "where kind in ('won', 'lost')",
    ],
    allows: ["state.is.includes('lost')", "kind: 'open'", "endpoint.kind === 'create'"],
  },
  {
    what: 'the comparison of a planned day with today, which decides that a deal is late',
    pattern: /\bcolumnIsOnDays\b/,
    only: ['server/search/status-store.ts', 'server/search/step-store.ts'],
  },
  {
    what: 'the prefix of tokens in an expression',
    files: ['{app,server,e2e}/**'],
    pattern: new RegExp(`/[^/\\n]*${tokenPrefix}[^/\\n]*\\|[^\\n]*/|\\['${tokenPrefix}'`),
  },
  {
    what: 'the milliseconds of a minute, an hour or a day, which units.ts has',
    files: ['{app,server}/**'],
    pattern: /(?<![\w.])(?:60_?000|3_?600_?000|86_?400_?000)(?!\w)|60 \* 1000|60 \* 60 \* 24 \* 1000/,
  },
  {
    // The system's own lookup (getaddrinfo) blocks one of four threads while a name server is silent.
    what: 'the lookup of a name',
    files: ['{server,db}/**'],
    pattern: /['"](?:node:)?dns(?:\/promises)?['"]/,
    only: ['server/net/resolve.ts'],
  },
  {
    what: 'the opening of a connection',
    files: ['{server,db}/**'],
    pattern:
      /import (?!type)[^;']*?\b(?:Agent|Client|Pool|request|fetch|stream|connect|createConnection|buildConnector|Socket)\b[^;']*? from '(?:undici|node:https?|node:http2|node:net|node:tls)'|(?<![\w.])fetch\(/,
    only: [
      // The hosts of DATABASE_URL.
      'db/hosts.ts',
      // The provider configured by the operator.
      'server/accounts/sign-in/provider-fetch.ts',
      // Connects to addresses that it has checked: the way to every name chosen by others.
      'server/net/safe-connect.ts',
      // This process.
      'server/programs/container/health-check.ts',
      // HubSpot itself; files it links to go through safe-connect.
      'server/sources/hubspot/hubspot-fetch.ts',
      // Through safe-connect.
      'server/webhooks/dispatcher/safe-fetch.ts',
    ],
  },
  {
    what: 'SQL in routers, actions and commands',
    files: [
      `server/!(access|admission|http|net|programs|runtime|values)/**/{router,operations,actions,download,sign-in,auth-config}.ts`,
      `server/*/${commands}`,
    ],
    pattern: /\$client/,
  },
  {
    // A cut connection would go unnoticed.
    what: 'a reserved connection, or a transaction by hand',
    pattern: /\breserve\(\)|`(?:begin|start transaction|commit|rollback)\b/,
  },
  {
    // It releases its resources.
    what: 'a stream by hand',
    pattern: /\bnew (?:ReadableStream|TransformStream|PassThrough)\b|\bReadable\.(?:from|toWeb)\(/,
    only: ['server/http/streamed.ts'],
  },
  {
    // Only for work that several requests share, or that outlives its request.
    what: "work that waits for no caller's slot",
    files: ['{app,server}/**'],
    pattern: /\boutsideRequest\(/,
    only: [
      'server/access/batched-lookup.ts',
      'server/access/rate-limit.ts',
      'server/admission/background.ts',
      'server/admission/buffered-counter.ts',
      'server/http/front-door.ts',
      'server/jobs/job-runner.ts',
      'server/sources/as-of-recorder.ts',
      'server/sources/crm-storage.ts',
    ],
  },
  {
    // server/files decides which files are seen; these keep, replace or count contents, and show none.
    what: 'the table of files',
    files: ['server/!(files)/**'],
    pattern: /\b(?:from|join|using) files\b|\.(?:from|\w*[jJ]oin\w*)\(files\b/,
    only: [
      'server/accounts/limits/quota-store.ts',
      'server/backup/store.ts',
      'server/sources/file-store.ts',
      'server/sources/store.ts',
    ],
  },
]

/** Returns the files with the pattern, except for tests and the program that runs at the partner. */
function pathsWith({ files = ['{app,server,db}/**'], pattern }: Rule): string[] {
  return globSync(
    files.map((glob) => (glob.endsWith('.ts') ? glob : `${glob}/*.{ts,tsx}`)),
    { cwd: root },
  )
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !/\.test\.tsx?$|\.spec\.ts$|^db\/test-|^server\/(?:house|copy)\//.test(path))
    .filter((path) => pattern.test(readFileSync(join(root, path), 'utf8')))
    .toSorted()
}

test.each(rules.map((rule) => [rule.what, rule] as const))('only its files contain %s', (_what, rule) => {
  expect(pathsWith(rule)).toEqual(rule.only ?? [])
})

test.each(
  rules.flatMap(({ what, pattern, finds = [] }) => finds.map((text) => [text, what, pattern] as const)),
)('finds in %s %s', (text, _what, pattern) => expect(text).toMatch(pattern))

test.each(
  rules.flatMap(({ what, pattern, allows = [] }) => allows.map((text) => [text, what, pattern] as const)),
)('finds in %s not %s', (text, _what, pattern) => expect(text).not.toMatch(pattern))
