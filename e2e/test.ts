import { spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { findChromium } from './chromium.ts'

// Runs the tests in the named files, or all tests, fastest checks first. `--times <number>` repeats browser
// tests until one fails. Prints the slowest tests and the number of tests at the end. Without file names,
// skips tests that find few faults for the time they take; `--all` runs everything.

/** Browser tests to run by default: every page and the main tasks of each role. */
const journeys = [
  'e2e/deal.spec.ts',
  'e2e/deals.spec.ts',
  'e2e/failover.spec.ts',
  'e2e/home.spec.ts',
  'e2e/live.spec.ts',
  'e2e/pages-fit.spec.ts',
  'e2e/questions.spec.ts',
  'e2e/sign-in.spec.ts',
  'e2e/two-clicks.spec.ts',
]

/**
 * Tests that kill processes, load the database or try many inputs. They take a third of the time of all unit
 * tests.
 */
const lengthy = [
  '**/*-cost.test.ts',
  '**/{killed,failover,load}.test.ts',
  'db/{embedded,hosts}.test.ts',
  'e2e/replica.test.ts',
  'server/backup/restore-backup.test.ts',
  'server/house/{bad-input,linear}.test.ts',
  'server/http/unread-answers.test.ts',
  'server/jobs/job-runner.test.ts',
  'server/seed.test.ts',
  'server/sources/crm-storage.test.ts',
  'server/webhooks/dispatcher/endpoint-queue.test.ts',
]

process.chdir(join(import.meta.dirname, '..'))
rmSync('.test', { recursive: true, force: true })
const count = { passed: 0, failed: 0, skipped: 0 }
const slowest: { ms: number; name: string }[] = []
/** Tests that failed once but passed on the second attempt. */
const flaky: string[] = []
/** Bytes to reserve for test directories: several times what concurrent tests need. */
const memoryForFiles = 8 * 1024 ** 3

useMemoryForFiles()
const {
  values: { times, all },
  positionals: words,
} = parseArgs({ allowPositionals: true, options: { times: { type: 'string' }, all: { type: 'boolean' } } })
if (words.length > 0) {
  const files = words.flatMap(testFiles)
  const specs = files.filter((file) => file.includes('.spec.ts'))
  const tests = files.filter((file) => !specs.includes(file))
  if (tests.length > 0) await unit(tests)
  if (specs.length > 0) {
    await build()
    await browser(specs)
  }
} else {
  // The build keeps only one processor busy, so the checks take no extra time.
  await Promise.all([build(), staticChecks()])
  await unit(all ? [] : lengthy.flatMap((glob) => ['--exclude', glob]))
  await browser(all ? [] : journeys.flatMap(testFiles))
}
end()

/**
 * Returns the test files for a command line argument: a test file (optionally followed by `:` and a line), a
 * source file, or a part of a path.
 */
function testFiles(word: string): string[] {
  const [name, line] = relative('.', word).split(/(:\d+)$/) as [string, string?]
  const all = globSync('{server,copy,db,app,e2e}/**/*.{test,spec}.ts')
  const named = name.replace(/(?<!\.(?:test|spec))\.tsx?$/, '.test.ts')
  const found = all.includes(named) ? [named] : all.filter((file) => file.includes(name))
  if (found.length === 0) {
    process.stderr.write(`No test file matches ${word}\n`)
    process.exit(1)
  }
  return found.map((file) => file + (line ?? ''))
}

/** Puts test directories in memory if there is enough, because tests copy and write to them all the time. */
function useMemoryForFiles(): void {
  const directory = '/dev/shm'
  if (!existsSync(directory)) return
  const { bavail, bsize } = statfsSync(directory)
  if (Math.min(bavail * bsize, freemem()) > memoryForFiles) process.env.TMPDIR = directory
}

function build(): Promise<void> {
  return step('build', ['node', 'server/programs/build.ts'], { isQuiet: true })
}

async function staticChecks(): Promise<void> {
  await step('format', ['npx', 'oxfmt', '--check', '.'], { isQuiet: true })
  await step('lint', ['npx', 'oxlint', '--deny-warnings'], { isQuiet: true })
  await step('dead code', ['npx', 'knip'], { isQuiet: true })
  await step('types', ['npx', 'tsc', '--noEmit'], { isQuiet: true })
}

/** Runs the unit tests in these files. Without files, runs all tests that no `--exclude` omits. */
async function unit(files: string[]): Promise<void> {
  const reporters = ['--reporter=default', '--reporter=json', '--outputFile.json=.test/vitest.json']
  await step(
    'unit and integration',
    ['npx', 'vitest', 'run', '--config', 'e2e/vitest.config.ts', '--retry', '1', ...reporters, ...files],
    { read: readVitest },
  )
}

/** Runs the browser tests in these files, or all, against the build. */
async function browser(files: string[]): Promise<void> {
  process.env.CHROMIUM_PATH = await findChromium()
  const inRow = ['--workers', '1', '--retries', '0', '--max-failures', '1']
  const repeated = times === undefined ? [] : ['--repeat-each', times, ...inRow]
  await step(
    'end to end',
    ['npx', 'playwright', 'test', '--config', 'e2e/playwright.config.ts', ...repeated, ...files],
    {
      read: readPlaywright,
    },
  )
}

/**
 * Runs one step and ends the run if it fails. A step without tests counts as one test. The output of a quiet
 * step is printed at its end, because other steps run at the same time.
 */
async function step(
  name: string,
  [program, ...words]: string[],
  { isQuiet = false, read }: { isQuiet?: boolean; read?: () => Partial<typeof count> } = {},
): Promise<void> {
  const heading = `\n— ${name}\n`
  const began = performance.now()
  if (!isQuiet) process.stdout.write(heading)
  const child = spawn(program!, words, { stdio: ['inherit', ...Array(2).fill(isQuiet ? 'pipe' : 'inherit')] })
  const [printed, status] = await Promise.all([
    Promise.all([child.stdout, child.stderr].map((stream) => (stream === null ? '' : text(stream)))),
    new Promise<number | null>((resolve) => void child.once('close', resolve)),
  ])
  if (isQuiet) process.stdout.write(heading + printed.join(''))
  process.stdout.write(`${name}: ${Math.round((performance.now() - began) / 1000)} s\n`)
  const counted = read?.() ?? (status === 0 ? { passed: 1 } : { failed: 1 })
  count.passed += counted.passed ?? 0
  count.failed += counted.failed ?? 0
  count.skipped += counted.skipped ?? 0
  if (status === 0) return
  count.failed = Math.max(count.failed, 1)
  end()
}

function readVitest(): Partial<typeof count> {
  const result = readJson('.test/vitest.json')
  for (const { name: path, assertionResults } of result?.testResults ?? []) {
    for (const { fullName, duration, status, failureMessages } of assertionResults) {
      const name = `${relative('.', path)} › ${fullName}`
      slowest.push({ ms: duration ?? 0, name })
      if (status === 'passed' && failureMessages.length > 0) flaky.push(name)
    }
  }
  return { passed: result?.numPassedTests, failed: result?.numFailedTests, skipped: result?.numPendingTests }
}

function readPlaywright(): Partial<typeof count> {
  const { suites = [], stats } = readJson('.test/playwright.json') ?? {}
  for (const suite of suites) readSuite(suite, `e2e/${suite.file}`)
  return {
    passed: (stats?.expected ?? 0) + (stats?.flaky ?? 0),
    failed: stats?.unexpected,
    skipped: stats?.skipped,
  }
}

function readSuite({ suites = [], specs }: any, name: string): void {
  for (const inner of suites) readSuite(inner, `${name} › ${inner.title}`)
  for (const { title, tests } of specs) {
    if (tests.some(({ status }: any) => status === 'flaky')) flaky.push(`${name} › ${title}`)
    for (const { duration } of tests.flatMap(({ results }: any) => results))
      slowest.push({ ms: duration, name: `${name} › ${title}` })
  }
}

function readJson(path: string): any {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

function end(): never {
  process.stdout.write('\nThe slowest:\n')
  for (const { ms, name } of slowest.toSorted((a, b) => b.ms - a.ms).slice(0, 10))
    process.stdout.write(`${(ms / 1000).toFixed(1).padStart(7)} s  ${name}\n`)
  if (flaky.length > 0) process.stdout.write(`\nFlaky, to fix:\n  ${flaky.join('\n  ')}\n`)
  const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ''
  if (words.length === 0 && !all)
    process.stdout.write('\nThe longest tests were left out; npm test -- --all runs them as well.\n')
  process.stdout.write(`\n${count.passed} passed, ${count.failed} failed${skipped}\n`)
  process.exit(count.failed > 0 || count.passed === 0 ? 1 : 0)
}
