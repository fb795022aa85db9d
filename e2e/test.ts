import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findChromium } from './chromium.ts'

// All of the tests, in the order in which they are quick to fail; the last line counts them.

process.chdir(join(import.meta.dirname, '..'))
rmSync('.test', { recursive: true, force: true })
const count = { passed: 0, failed: 0, skipped: 0 }

step('format', ['npx', 'oxfmt', '--check', '.'])
step('lint', ['npx', 'oxlint', '--deny-warnings'])
step('dead code', ['npx', 'knip'])
step('build', ['node', 'server/runtime/build.ts'])
step('types', ['npx', 'tsc', '--noEmit'])
step(
  'unit and integration',
  [
    'npx',
    'vitest',
    'run',
    '--config',
    'e2e/vitest.config.ts',
    '--reporter=default',
    '--reporter=json',
    '--outputFile.json=.test/vitest.json',
  ],
  readVitest,
)
process.env.CHROMIUM_PATH = await findChromium()
step('end to end', ['npx', 'playwright', 'test', '--config', 'e2e/playwright.config.ts'], readPlaywright)
end()

/** Runs one step; a step without tests of its own counts as one. A failure ends the run. */
function step(name: string, [program, ...words]: string[], read?: () => Partial<typeof count>): void {
  process.stdout.write(`\n— ${name}\n`)
  const { status } = spawnSync(program!, words, { stdio: 'inherit' })
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
  return { passed: result?.numPassedTests, failed: result?.numFailedTests, skipped: result?.numPendingTests }
}

function readPlaywright(): Partial<typeof count> {
  const stats = readJson('.test/playwright.json')?.stats
  return {
    passed: stats?.expected,
    failed: (stats?.unexpected ?? 0) + (stats?.flaky ?? 0),
    skipped: stats?.skipped,
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
  const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ''
  process.stdout.write(`\n${count.passed} passed, ${count.failed} failed${skipped}\n`)
  process.exit(count.failed > 0 || count.passed === 0 ? 1 : 0)
}
