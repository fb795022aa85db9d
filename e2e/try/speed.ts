import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import startTestDatabase from '#db/test-database.ts'
import { writeDeals } from '#server/deals/deal-writer.ts'
import { peakResidentMb, settle } from '../bench/ours.ts'
import { startCopy } from '../copy/program.ts'
import { openLocalSystem } from '../local-system.ts'
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
const dealsAtOnce = 1000
const secondsMax = 60
const peakMaxMb = 150

type Start = (directory: string) => Promise<RealServer>

const targets: readonly { name: string; needs: readonly Part[]; open: string | Start }[] = [
  { name: 'CSV', needs: [], open: 'csv' },
  { name: 'SQLite', needs: [], open: 'sqlite' },
  { name: 'PostgreSQL', needs: ['postgres'], open: startPostgres },
  { name: 'MariaDB', needs: ['mariadbd'], open: (directory) => startMariadb(directory, []) },
]

/**
 * Measures all targets, or those whose names contain one of the words. Returns true if all are within their
 * bounds.
 */
export async function trySpeed(words: string[]): Promise<boolean> {
  const chosen = targets.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase())),
  )
  await using stack = new AsyncDisposableStack()
  const directory = mkdtempSync(join(tmpdir(), 'partner-deals-speed-'))
  stack.defer(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  chmodSync(directory, 0o755)
  stack.defer(await startTestDatabase())
  const system = await openLocalSystem()
  stack.defer(() => system.close())
  process.stderr.write(`Writing ${deals} deals …\n`)
  const partner = await system.makePartner()
  const now = new Date('2026-03-02')
  for (let seed = 0; seed < deals / dealsAtOnce; seed++) {
    const firstId = 20_000_000_000n + BigInt(seed * 1_000_000)
    const records = demoDeals({ partner: demoPartners[0]!, count: dealsAtOnce, firstId, now, seed })
    const writes = Array.from(records, (record) => ({ record, partnerId: partner.id }))
    await writeDeals(system.db, writes, { now, events: false })
  }
  await settle(system.db)
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
    const { seconds, cpuS, peakMb } = await measure({ url: system.url, token: partner.token, to })
    server?.process.kill('SIGKILL')
    const isWithin = seconds <= secondsMax && peakMb <= peakMaxMb
    areAllWithin &&= isWithin
    process.stdout.write(
      `${isWithin ? 'passed  ' : 'failed  '} ${name}: ${seconds} s, ${Math.round(cpuS)} s of processor time, ${Math.round(peakMb)} MB\n`,
    )
  }
  return areAllWithin
}

async function measure(plan: { url: string; token: string; to: string }) {
  const run = await startCopy(plan, ['sync'])
  let peakMb = 0
  let cpuS = 0
  const pid = run.process.pid!
  while (run.isRunning()) {
    peakMb = Math.max(peakMb, await peakResidentMb(pid).catch(() => 0))
    cpuS = Math.max(cpuS, await processorS(pid).catch(() => 0))
    await sleep(100)
  }
  const { code, summary, stderr } = await run.ended
  if (code !== 0 || summary.deals !== deals) throw new Error(`${JSON.stringify(summary)}\n${stderr}`)
  return { seconds: summary.seconds as number, cpuS, peakMb }
}

/**
 * Returns the CPU time of a process in seconds, in user and system mode. The Linux clock ticks 100 times per
 * second.
 */
async function processorS(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
