import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import startTestDatabase from '#db/test-database.ts'
import type { DealRecord, Person } from '#server/deals/deal.ts'
import { deleteDeal } from '#server/deals/removal-store.ts'
import { runCopy, startCopy } from '../copy/program.ts'
import { differencesOf, readTable } from '../copy/read-copy.ts'
import { type LocalSystem, openLocalSystem } from '../local-system.ts'
import { bringIn, newIds } from '../rest/deals.ts'
import {
  type Part,
  type RealServer,
  makeCertificates,
  missingParts,
  parts,
  startMariadb,
  startPgBouncer,
  startPostgres,
  startStunnel,
} from './real-servers.ts'

// partner-deals-copy with the databases and programs installed on this machine. Missing ones are reported and
// skipped.

const kills = 50
const dealCount = 1500
const followedWithinMs = 2000

interface Trial {
  name: string
  needs: readonly Part[]
  /** Returns a string with the measured values. */
  run(world: World): Promise<string>
}

interface World {
  system: LocalSystem
  directory: string
  started: RealServer[]
}

const maria = { id: 9_007_199_254_740_993n, email: 'maria@x.example', firstName: 'Maria' } as Person

const someDeals = (count: number): DealRecord[] =>
  newIds(count).map((id, index) => ({
    id,
    dealname: `Müller, "Ann" 漢😀 \\ ${index}`,
    notes: "two\nlines, and Conan O'Brien; \\' -- x",
    inspectionNotes: 'x'.repeat(index % 50 === 0 ? 10_000 : 5),
    zipCode: '02134',
    primaryPhone: '+1 602 555 0100',
    closerName: '=1+1',
    amount: 30_800.55 + index,
    totalPpw: 0.1,
    hasHoa: index % 2 === 0,
    lastModified: '2026-03-01T17:20:05.001Z',
    createDate: '1000-01-01T00:00:00.000Z',
    reSignDate: '9999-12-31T23:59:59.999Z',
    owner: maria,
  }))

/**
 * Kills a copy repeatedly while deals change. After that, the copy must match `GET` for every deal and follow
 * a change and a removal. Returns how long following took.
 */
async function killAndCompare({ system }: World, to: string): Promise<string> {
  const deals = someDeals(dealCount)
  const partner = await system.makePartner({ deals })
  const plan = { url: system.url, token: partner.token, to }
  const checked = await runCopy(plan, ['check'])
  assert.equal(checked.code, 0, checked.stderr)
  for (let round = 0; round < kills; round++) {
    const run = await startCopy(plan, [round % 2 === 0 ? 'sync' : 'follow'])
    await sleep(100 + Math.random() * 600)
    await bringIn(system, partner, [{ id: deals[round]!.id, stage: `Stage ${round}` }, ...someDeals(1)])
    await deleteDeal(system.db, deals[100 + round]!.id)
    await sleep(Math.random() * 600)
    run.process.kill('SIGKILL')
    await run.ended
  }
  const synced = await runCopy(plan, ['sync'])
  assert.equal(synced.code, 0, synced.stderr)
  assert.deepEqual(await differencesOf(system, partner.token, to), [])
  const verified = await runCopy(plan, ['verify'])
  assert.equal(verified.code, 0, JSON.stringify(verified.summary))
  const run = await startCopy(plan, ['follow'])
  await sleep(2000)
  const [changed, removed] = deals.slice(1000)
  await bringIn(system, partner, [{ id: changed!.id, stage: 'Last' }])
  await deleteDeal(system.db, removed!.id)
  const began = performance.now()
  const isFollowed = async () => {
    const rows = await readTable(to, 'deals')
    return rows.some(({ stage }) => stage === 'Last') && !rows.some(({ id }) => id === String(removed!.id))
  }
  while (!(await isFollowed())) {
    assert.ok(performance.now() - began < followedWithinMs, 'follows too late')
    // Yield to the portal, which runs in this process.
    await sleep(20)
  }
  const followedMs = Math.round(performance.now() - began)
  run.process.kill('SIGTERM')
  assert.equal((await run.ended).code, 0)
  assert.deepEqual(await differencesOf(system, partner.token, to), [])
  return `a change and a removal followed within ${followedMs} ms`
}

/** Runs `check` for this target and partner. Returns its result. */
async function check({ system }: World, to: string) {
  const partner = await system.makePartner()
  return runCopy({ url: system.url, token: partner.token, to }, ['check'])
}

const track = <T extends RealServer>({ started }: World, server: T) => (started.push(server), server)

const trials: readonly Trial[] = [
  {
    name: 'PostgreSQL 15',
    needs: ['postgres'],
    async run(world) {
      const { url } = track(world, await startPostgres(join(world.directory, 'postgres')))
      return killAndCompare(world, url)
    },
  },
  {
    name: 'PostgreSQL 15 through PgBouncer in transaction mode',
    needs: ['postgres', 'pgbouncer'],
    async run(world) {
      const postgres = track(world, await startPostgres(join(world.directory, 'pooled')))
      const { url } = track(world, await startPgBouncer(join(world.directory, 'pgbouncer'), postgres))
      return killAndCompare(world, url)
    },
  },
  {
    name: 'PostgreSQL 15 behind TLS of stunnel, with each sslmode',
    needs: ['postgres', 'stunnel', 'openssl'],
    async run(world) {
      const { directory } = world
      const postgres = track(world, await startPostgres(join(directory, 'encrypted')))
      const files = makeCertificates(join(directory, 'authority'))
      const other = makeCertificates(join(directory, 'other-authority'))
      const { url } = track(world, await startStunnel(join(directory, 'stunnel'), postgres, files))
      const byAddress = url.replace('@localhost', '@127.0.0.1')
      for (const [to, code] of [
        [`${url}?sslmode=require&channel_binding=require`, 0],
        [`${url}?sslmode=verify-full&sslrootcert=${files.ca}`, 0],
        [`${byAddress}?sslmode=verify-ca&sslrootcert=${files.ca}`, 0],
        [`${byAddress}?sslmode=verify-full&sslrootcert=${files.ca}`, 2],
        [`${url}?sslmode=verify-full&sslrootcert=${other.ca}`, 1],
        [`${url}?sslmode=require&sslrootcert=${other.ca}`, 1],
        [`${url}?sslmode=verify-full`, 1],
        [`${postgres.url}?sslmode=require`, 1],
        [`${postgres.url}?sslmode=prefer`, 0],
      ] as const) {
        const checked = await check(world, to)
        assert.equal(checked.code, code, `${to}: ${checked.stderr}`)
      }
      return 'each sslmode as libpq has it'
    },
  },
  {
    name: 'PostgreSQL 15 and MariaDB at an IPv6 address',
    needs: ['postgres', 'mariadbd'],
    async run(world) {
      const { directory } = world
      const servers = [
        track(world, await startPostgres(join(directory, 'postgres-v6'))),
        track(world, await startMariadb(join(directory, 'mariadb-v6'), [])),
      ]
      for (const { url } of servers) {
        const checked = await check(world, url.replace('127.0.0.1', '[::1]'))
        assert.equal(checked.code, 0, checked.stderr)
      }
      return 'both connect'
    },
  },
  {
    name: 'MariaDB, strict, with TLS',
    needs: ['mariadbd', 'openssl'],
    async run(world) {
      const files = makeCertificates(join(world.directory, 'mariadb-authority'))
      const { url } = track(
        world,
        await startMariadb(join(world.directory, 'strict'), [
          '--sql-mode=STRICT_TRANS_TABLES,ANSI_QUOTES,NO_BACKSLASH_ESCAPES',
          `--ssl-cert=${files.cert}`,
          `--ssl-key=${files.key}`,
        ]),
      )
      const byName = url.replace('@127.0.0.1', '@localhost')
      assert.equal((await check(world, `${byName}?sslmode=verify-full&sslrootcert=${files.ca}`)).code, 0)
      assert.equal((await check(world, `${byName}?sslmode=verify-full`)).code, 1)
      return killAndCompare(world, url)
    },
  },
  {
    name: 'MariaDB, not strict, latin1, in the time zone +05:30',
    needs: ['mariadbd'],
    async run(world) {
      const { url } = track(
        world,
        await startMariadb(join(world.directory, 'lax'), [
          '--sql-mode=',
          '--default-time-zone=+05:30',
          '--character-set-server=latin1',
        ]),
      )
      return killAndCompare(world, url)
    },
  },
  {
    name: 'SQLite, read by sqlite3',
    needs: ['sqlite3'],
    async run(world) {
      const file = join(world.directory, 'deals.db')
      const measured = await killAndCompare(world, `sqlite:${file}`)
      const read = (sql: string) => String(execFileSync(parts.sqlite3.path, [file, sql])).trim()
      assert.equal(read('pragma integrity_check'), 'ok')
      assert.equal(
        read('select distinct zip_code || primary_phone || closer_name from partner_deals'),
        '02134+1 602 555 0100=1+1',
      )
      assert.equal(
        read("select distinct person_id from partner_persons where role = 'owner'"),
        String(maria.id),
      )
      return measured
    },
  },
  {
    name: 'CSV, read by LibreOffice',
    needs: ['soffice'],
    async run(world) {
      const folder = join(world.directory, 'csv')
      const measured = await killAndCompare(world, `csv:${folder}`)
      const file = join(folder, 'partner_deals.csv')
      const rows = parse(readFileSync(file), { columns: true }) as Record<string, string>[]
      // Options: all columns as text, comma, quotation mark, UTF-8.
      const columns = Object.keys(rows[0]!).map((_, index) => `${index + 1}/2`)
      execFileSync(
        parts.soffice.path,
        [
          `-env:UserInstallation=file://${join(world.directory, 'soffice')}`,
          '--headless',
          `--infilter=CSV:44,34,76,1,${columns.join('/')}`,
          '--convert-to',
          'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false',
          '--outdir',
          join(world.directory, 'opened'),
          file,
        ],
        { stdio: 'ignore' },
      )
      const opened = parse(readFileSync(join(world.directory, 'opened/partner_deals.csv')), {
        columns: true,
      }) as Record<string, string>[]
      assert.deepEqual(opened, rows)
      return measured
    },
  },
]

/** Tries all parts, or those whose names contain one of the words. Returns true if none failed. */
export async function tryParts(words: string[]): Promise<boolean> {
  const chosen = trials.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase())),
  )
  const directory = mkdtempSync(join(tmpdir(), 'partner-deals-parts-'))
  chmodSync(directory, 0o755)
  const stop = await startTestDatabase()
  const system = await openLocalSystem()
  const count = { passed: 0, failed: 0, skipped: 0 }
  for (const { name, needs, run } of chosen) {
    const missing = missingParts(needs)
    if (missing.length > 0) {
      const packages = missing.map((part) => parts[part].from)
      process.stdout.write(`skipped  ${name}: install ${packages.join(' ')}\n`)
      count.skipped++
      continue
    }
    const started: RealServer[] = []
    const began = performance.now()
    try {
      const measured = await run({ system, directory, started })
      count.passed++
      const seconds = Math.round((performance.now() - began) / 1000)
      process.stdout.write(`passed   ${name}: ${measured} (${seconds} s)\n`)
    } catch (error) {
      count.failed++
      process.stdout.write(`failed   ${name}: ${String(error instanceof Error ? error.stack : error)}\n`)
    } finally {
      for (const { process } of started.toReversed()) process.kill('SIGKILL')
    }
  }
  await system.close()
  await stop()
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  process.stdout.write(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`)
  return count.failed === 0
}
