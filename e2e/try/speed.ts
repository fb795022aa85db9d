import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFilledSystem } from '../bench/filled-system.ts'
import { peakResidentMb } from '../bench/process.ts'
import { startCopy } from '../copy/program.ts'
import {
  type Part,
  type RealServer,
  missingParts,
  parts,
  startMariadb,
  startPostgres,
} from './real-servers.ts'

// The first load of partner-deals-copy into each target, from a system without a rate limit.

const deals = 100_000
const secondsMax = 60
const peakMaxMb = 150

type Start = (directory: string) => Promise<RealServer>

const targets: readonly { name: string; needs: readonly Part[]; open: string | Start }[] = [
  { name: 'CSV', needs: [], open: 'csv' },
  { name: 'SQLite', needs: [], open: 'sqlite' },
  { name: 'PostgreSQL', needs: ['postgres'], open: startPostgres },
  { name: 'MariaDB', needs: ['mariadbd'], open: (directory) => startMariadb(directory, []) },
]

/** Measures all targets, or those whose names contain one of the words. Returns whether each is within its bounds. */
export async function trySpeed(words: string[]): Promise<boolean> {
  const chosen = targets.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase())),
  )
  execFileSync(process.execPath, ['server/programs/build.ts'], { stdio: ['ignore', 2, 2] })
  await using stack = new AsyncDisposableStack()
  const directory = mkdtempSync(join(tmpdir(), 'partner-deals-speed-'))
  stack.defer(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  chmodSync(directory, 0o755)
  const pace = { warmUpS: 0, roundS: 0, rounds: 0 }
  const size = { deals, partyDeals: 0, attackS: 0, drains: 0, pace }
  const filled = makeFilledSystem({ stack, size, say: (text) => process.stderr.write(`${text} …\n`) })
  const { url } = await filled.loaded()
  let areAllWithin = true
  for (const { name, needs, open } of chosen) {
    const missing = missingParts(needs)
    if (missing.length > 0) {
      const packages = missing.map((part) => parts[part].from)
      process.stdout.write(`skipped  ${name}: install ${packages.join(' ')}\n`)
      continue
    }
    const place = join(directory, name)
    const server = typeof open === 'string' ? null : await open(place)
    const to = server?.url ?? `${String(open)}:${place}`
    const { seconds, peakMb } = await measure({ url, token: filled.token(), to })
    server?.process.kill('SIGKILL')
    const isWithin = seconds <= secondsMax && peakMb <= peakMaxMb
    areAllWithin &&= isWithin
    process.stdout.write(
      `${isWithin ? 'passed  ' : 'failed  '} ${name}: ${seconds} s, ${Math.round(peakMb)} MB\n`,
    )
  }
  return areAllWithin
}

async function measure(plan: { url: string; token: string; to: string }) {
  const run = await startCopy(plan, ['sync'])
  let peakMb = 0
  const { pid } = run.process
  while (run.process.exitCode === null) {
    peakMb = Math.max(peakMb, await peakResidentMb(pid!).catch(() => 0))
    await sleep(100)
  }
  const { code, summary, stderr } = await run.ended
  if (code !== 0 || summary.deals !== deals) throw new Error(`${JSON.stringify(summary)}\n${stderr}`)
  return { seconds: summary.seconds as number, peakMb }
}
