import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, faults } from './faults.ts'

// npm run mutants: inserts one fault at a time into the source, runs the tests that must catch the fault, and
// restores the file. `npm run mutants -- money` only tries faults in files with "money" in their path. Exits
// with 1 if a fault is not caught, or if the tests fail without a fault, because they would then catch
// anything.

process.chdir(join(import.meta.dirname, '../..'))
const [part = ''] = process.argv.slice(2)
const chosen = faults.filter(({ file }) => file.includes(part))
if (!passes([...new Set(chosen.flatMap(({ tests }) => tests))])) {
  process.stderr.write('The tests fail without a fault: run npm test\n')
  process.exit(1)
}
const unnoticed = chosen.filter((fault) => !isNoticed(fault))
process.stdout.write(`\n${chosen.length - unnoticed.length} of ${chosen.length} faults noticed\n`)
process.exit(unnoticed.length === 0 ? 0 : 1)

function isNoticed({ file, find, replace, tests }: Fault): boolean {
  const text = readFileSync(file, 'utf8')
  if (text.split(find).length !== 2) throw new Error(`${file} does not contain once: ${find}`)
  const takeOut = () => writeFileSync(file, text)
  const interrupt = () => {
    takeOut()
    process.exit(130)
  }
  process.once('SIGINT', interrupt)
  writeFileSync(
    file,
    text.replace(find, () => replace),
  )
  try {
    const startedAt = performance.now()
    const isMissed = passes(tests)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)
    process.stdout.write(
      `${isMissed ? 'UNNOTICED' : 'noticed  '} ${seconds} s  ${file}: ${find.trim().split('\n')[0]}\n`,
    )
    return !isMissed
  } finally {
    takeOut()
    process.off('SIGINT', interrupt)
  }
}

function passes(tests: string[]): boolean {
  const vitest = ['vitest', 'run', '--config', 'e2e/vitest.config.ts', '--bail', '1', ...tests]
  return spawnSync('npx', vitest, { stdio: 'ignore' }).status === 0
}
