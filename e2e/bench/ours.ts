import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Database, withOwnConnection } from '#db/client.ts'
import { demoDeals } from '#db/demo/demo.ts'
import type { PartnerId } from '#server/accounts/partner.ts'
import type { DealRecord } from '#server/deals/deal.ts'
import { renderDeal } from '#server/deals/render.ts'
import { nodeArguments, run, startSystem } from '../system.ts'

/** The product in its own process, on an initially empty data directory. */
export type Ours = Awaited<ReturnType<typeof startOurs>>

/** A partner whose deals can all be changed again and again. */
export type Party = Awaited<ReturnType<Ours['makeParty']>>

/** Makes a program of the product load `preload.ts`. */
export const preloaded = { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'preload.ts')}` }

// The operator script has no flags for servers.
const operatorProgram = [...nodeArguments.slice(0, 2), 'server/operator.ts']

/** Starts the product. `stack` stops it and removes its data. */
export async function startOurs(stack: AsyncDisposableStack) {
  const fixed = { RATE_LIMIT_PER_MINUTE: '1000000000' }
  let system = await startSystem({ env: fixed, isQuiet: true })
  stack.defer(() => system.dispose())
  const { url, dataDir } = system
  const peakFile = join(dataDir, 'peak-memory')

  async function operator(words: string[], input?: string): Promise<string> {
    const env = { ...system.env, ...preloaded, PEAK_MEMORY_FILE: peakFile }
    const { code, stdout, stderr } = await run(process.execPath, [...operatorProgram, ...words], env, input)
    if (code !== 0) throw new Error(`operator ${words.join(' ')} ended with ${code}\n${stdout}${stderr}`)
    return stdout.trim()
  }

  return {
    url,
    dataDir,
    /** Runs an operator command with this standard input. Returns the output. */
    operator,
    /** Returns connections to the database, which close when the system is restarted. */
    db: () => system.db,
    databaseUrl: () => system.databaseUrl,
    /** Restarts the system with these additional variables instead of earlier ones. */
    async restart(more: Record<string, string> = {}): Promise<void> {
      await system.stop()
      const env = { ...fixed, PORT: new URL(url).port, ...more }
      system = await startSystem({ env, dataDir, isQuiet: true })
    },
    /** Starts a separate worker. The system must run with WORKER=off. */
    startWorker: () => system.startWorker(),
    signal: (signal: NodeJS.Signals) => system.process.kill(signal),
    residentMb: () => statusMb(system.process.pid!, 'VmRSS'),
    /** Returns the peak memory since the last start. */
    peakMb: () => peakResidentMb(system.process.pid!),
    /** Creates a partner with this many deals but without events. */
    async makeParty(slug: string, deals: number, firstId: bigint) {
      const created = await operator(['partner', 'create', slug, '--name', slug, '--json'])
      const token = await operator(['token', 'create', '--partner', slug, '--name', 'Benchmark'])
      const path = join(dataDir, `${slug}.ndjson`)
      let changes = 0

      /** Imports the first `count` deals with the fields in `change`. All must have the result `outcome`. */
      async function importDeals(outcome: 'created' | 'updated' | 'unchanged', change = {}, count = deals) {
        await writeDealFile(path, count, { slug, name: slug }, firstId, change)
        const events = outcome === 'created' ? ['--no-events'] : []
        const began = performance.now()
        const counts = await operator(['import', path, '--partner', slug, '--json', ...events])
        const seconds = (performance.now() - began) / 1000
        if (JSON.parse(counts)[outcome] !== count)
          throw new Error(`Expected ${count} deals ${outcome} by the import: ${counts}`)
        return { perS: count / seconds, peakMb: (Number(await readFile(peakFile, 'utf8')) * 1024) / 1e6 }
      }

      return {
        id: (JSON.parse(created) as { id: PartnerId }).id,
        token,
        /** Rate and peak memory of the first import. */
        firstImport: await importDeals('created'),
        importAgain: () => importDeals('unchanged'),
        /** Changes the first `count` deals in one import. */
        change: (count: number) => importDeals('updated', { stage: `Stage ${++changes}` }, count),
        /** Sets both endpoint URLs, or removes them if null. */
        async setEndpoints(to: string | null): Promise<void> {
          const response = await fetch(`${url}/api/webhook`, {
            method: 'POST',
            headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
            body: JSON.stringify({ createURL: to, updateURL: to }),
          })
          if (!response.ok) throw new Error(`The URLs were not set: ${await response.text()}`)
        },
      }
    },
  }
}

/** Returns a process's peak resident memory in MB (10^6 bytes). Only works on Linux. */
export const peakResidentMb = (pid: number) => statusMb(pid, 'VmHWM')

async function statusMb(pid: number, name: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) * 1024) / 1e6
}

/** Makes a database do its background work now instead of during a measurement. */
export const settle = (db: Database) =>
  withOwnConnection(db, async (sql) => {
    await sql`vacuum analyze`
    await sql`checkpoint`
  })

/** Number of deals per measured page: the maximum of the API, about 95 KB. */
export const pageSize = 25

/**
 * Writes generated deals as NDJSON in the format of the REST API, with ascending IDs from `firstId` and the
 * fields in `change`. The output is deterministic. Every 25 deals cover a whole year, so that all pages have
 * the same size.
 */
async function writeDealFile(
  path: string,
  deals: number,
  partner: { slug: string; name: string },
  firstId: bigint,
  change: Partial<DealRecord>,
): Promise<void> {
  function* pages(): Generator<string> {
    const now = new Date('2026-03-02')
    let id = firstId
    for (let seed = 0; seed * pageSize < deals; seed++) {
      const count = Math.min(pageSize, deals - seed * pageSize)
      const page = [...demoDeals({ partner, count, firstId: id, now, seed })]
      id = page.at(-1)!.id + 1n
      yield page.map((deal) => `${renderDeal({ ...deal, ...change })}\n`).join('')
    }
  }
  await pipeline(Readable.from(pages()), createWriteStream(path))
}
