import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { flagFields, timeFields } from '../deals/columns.ts'
import { stageKinds } from '../stages/stage.ts'

// Patterns that only the named files of the product may contain. Rules that a linter can state are in .oxlintrc.json.

const root = join(import.meta.dirname, '../..')

interface Rule {
  what: string
  /** The files to search; by default the whole product. */
  files?: string[]
  pattern: RegExp
  /** The files that contain the pattern, and must. */
  only?: string[]
}

const kinds = stageKinds.join('|')
const compared = ['stage', 'pipeline', 'amount', 'systemSize', ...timeFields].join('|')
const commands = '**/{commands,*-command,*-commands}.ts'

const rules: Rule[] = [
  {
    // A second CSV writer would escape formulas differently.
    what: 'the writing of CSV',
    pattern: /(?:'""'|"\\"\\""|`""`|'\$&\$&')|from '(?:papaparse|csv-stringify\S*|csv-writer|fast-csv\S*)'/,
    only: [
      // Quotes names in Power Query.
      'app/(portal)/(manage)/tokens/sheet-use.tsx',
      // Quotes names in SQL.
      'server/backup/store.ts',
      // Reads quotes.
      'server/readers/csv-rows.ts',
      // Quotes names in SQL.
      'server/sources/sql-columns.ts',
      'server/values/csv.ts',
    ],
  },
  {
    // The pages' bundler shortens the names of errors; `errorName` does not.
    what: 'the name of an error, unless it is compared',
    pattern: /^(?!.*(?:test|includes)\().*\b(?:error|cause)\)?\??\.name\b/m,
  },
  {
    // Days are read in the user's zone.
    what: 'a day cut from an instant',
    files: ['app/**', 'server/{deals,insight}/**'],
    pattern:
      /toISOString\(\)\s*\.(?:slice|split|substring|substr)\b|\btimeZone: 'UTC'|\.toLocale(?:Date|Time)String\(|\bget(?:Date|Day|Hours|Month|FullYear)\(\)|86_?400_?000|\b(?:\w*\.)?time\.slice\(0, 10\)/,
  },
  {
    // A page may check whether a field exists; other conditions on fields belong in a rule.
    what: 'a condition on the value of a deal field',
    files: ['app/**'],
    pattern: new RegExp(
      [
        `\\.(?:${flagFields.join('|')})\\b`,
        `\\.(?:${compared})!? (?:[!=]==|[<>]=?) (?!null\\b|undefined\\b)\\S+`,
        `\\.(?:${compared})!?\\.(?:startsWith|includes|match)\\(`,
      ].join('|'),
    ),
  },
  {
    // A new role would get this right by accident.
    what: 'a right of everyone but members',
    pattern: /(?:[!=]==|<>) 'member'/,
  },
  {
    what: 'a comparison with a stage kind',
    files: ['{app,server}/!(stages)/**'],
    pattern: new RegExp(
      `\\bkind(?:Of\\([^)]*\\))? (?:[!=]==|=|<>) '(?:${kinds})'|stageKind [!=]== '|\\bkind (?:not )?in \\('(?:${kinds})'`,
    ),
  },
  {
    what: 'the comparison of planned days with today that decides whether a deal is late',
    pattern: /\bcolumnIsOnDays\b/,
    only: ['server/search/step-store.ts'],
  },
  {
    what: 'the milliseconds of a minute, an hour or a day, which units.ts exports',
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
      // Connects to the hosts of DATABASE_URL.
      'db/hosts.ts',
      // Connects to the provider that the operator configured.
      'server/accounts/sign-in/provider.ts',
      // Connects only to addresses that it has checked; required for every name that a user chose.
      'server/net/safe-connect.ts',
      // Connects to this process.
      'server/programs/container/health-check.ts',
      // Connects to HubSpot; its links go through safe-connect.
      'server/sources/hubspot-fetch.ts',
      // Uses safe-connect.
      'server/webhooks/safe-fetch.ts',
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
    // A lost connection would go unnoticed.
    what: 'a reserved connection or a transaction by hand',
    pattern: /\breserve\(\)|`(?:begin|start transaction|commit|rollback)\b/,
  },
  {
    // `streamed` releases the resources of a stream.
    what: 'a stream by hand',
    pattern: /\bnew (?:ReadableStream|TransformStream|PassThrough)\b|\bReadable\.(?:from|toWeb)\(/,
    only: ['server/http/streamed.ts'],
  },
  {
    // Only for work that several requests share, or that outlives its request.
    what: 'work outside of request slots',
    files: ['{app,server}/**'],
    pattern: /\boutsideRequest\(/,
    only: [
      'server/access/rate-limit.ts',
      'server/access/session-lookup.ts',
      'server/admission/background.ts',
      'server/admission/buffered-counter.ts',
      'server/http/front-door.ts',
      'server/jobs/job-runner.ts',
      'server/sources/as-of-store.ts',
      'server/sources/crm-storage.ts',
    ],
  },
  {
    // server/files decides who sees a file; these files store, replace or count contents.
    what: 'the table of files',
    files: ['server/!(files)/**'],
    pattern: /\b(?:from|join|using) files\b|\.(?:from|\w*[jJ]oin\w*)\(files\b/,
    only: [
      'server/accounts/limit-store.ts',
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

test.each(rules.map((rule) => [rule.what, rule] as const))(
  'only the allowed files contain %s',
  (_what, rule) => {
    expect(pathsWith(rule)).toEqual(rule.only ?? [])
  },
)
