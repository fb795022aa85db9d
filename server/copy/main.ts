import { setFlagsFromString } from 'node:v8'
import { PartnerDeals } from '#public/clients/partner-deals.ts'
import { CsvTarget } from './csv-target.ts'
import type { DialectName } from './dialects.ts'
import { Failure, exitCodes, messageOf, usage } from './failures.ts'
import { Run } from './run.ts'
import { type Settings, help, readSettings } from './settings.ts'
import { type Connection, SqlTarget, ddlOf } from './sql-target.ts'
import { newState } from './state.ts'
import type { TargetPlan } from './target-url.ts'
import { type Target, renewEveryMs } from './target.ts'
import { verify } from './verify.ts'

// Implements partner-deals-copy, which keeps a copy of a partner's deals in the partner's own database or
// folder. Bundled into one file without dependencies.

// Data is short-lived, so a larger heap would waste memory.
for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=10']) setFlagsFromString(flag)

type Summary = Record<string, unknown>

const began = Date.now()
/** Stops the run between two transactions, after a signal or when another run has taken over the copy. */
const stop = new AbortController()
const stopped = new Failure('stopped')
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort(stopped))

let secrets: string[] = []
const withoutSecrets = (text: string) =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
const log = (line: string) => void process.stderr.write(`${withoutSecrets(line)}\n`)

const commands = {
  check,
  sync: update,
  follow: update,
  verify: (settings: Settings, target: Target): Promise<Summary> => verify(clientOf(settings), target),
  status,
  reset,
}

process.exitCode = await start()

function print(text: string): number {
  process.stdout.write(text)
  return exitCodes.ok
}

/** Runs the command and prints its summary. Returns the exit code. */
async function start(): Promise<number> {
  let command: string | null = null
  const end = (summary: Summary, code: number) => {
    const seconds = Math.round((Date.now() - began) / 100) / 10
    const text = JSON.stringify({ command, ok: code === 0, ...summary, seconds })
    print(`${withoutSecrets(text)}\n`)
    return code
  }
  try {
    const settings = readSettings(process.argv.slice(2), process.env)
    if (settings === null) return print(help)
    const { token, to, prefix } = settings
    if (settings.command === 'print-ddl') return print(ddlOf(to.kind as DialectName, prefix))
    ;({ command } = settings)
    secrets = [token, ('password' in to && to.password) || ''].filter((secret) => secret.length > 3)
    if ('sslmode' in to && to.sslmode === 'require')
      log('sslmode=require does not verify the server; use verify-full to prevent impersonation')
    const target =
      to.kind === 'csv' ? new CsvTarget(to.path, prefix) : new SqlTarget(await connect(to), to.kind, prefix)
    try {
      const { code = exitCodes.ok, ...summary } = await commands[settings.command](settings, target)
      return end(summary, code as number)
    } finally {
      await target.close().catch(() => {})
    }
  } catch (failure) {
    const error: unknown = stop.signal.aborted ? stop.signal.reason : failure
    const message = messageOf(error)
    log(message)
    return end({ error: message }, error instanceof Failure ? error.exitCode : exitCodes.failed)
  }
}

/** Connects to a database, and loads the driver of this database only. */
async function connect(plan: Exclude<TargetPlan, { kind: 'csv' }>): Promise<Connection> {
  switch (plan.kind) {
    case 'postgres':
      return (await import('./postgres.ts')).openPostgres(plan)
    case 'mysql':
      return (await import('./mysql.ts')).openMysql(plan)
    case 'sqlite':
      return (await import('./sqlite.ts')).openSqlite(plan.path)
  }
}

function clientOf({ from: url, token }: Settings): PartnerDeals {
  const onRetry = ({ message }: Error, waitMs: number) =>
    log(`${message}; retrying in ${Math.ceil(waitMs / 1000)} s`)
  const limits = { timeoutMs: 60_000, retries: 8, maxWaitMs: 3_600_000 }
  return new PartnerDeals({ url, token, ...limits, signal: stop.signal, onRetry })
}

/** Takes the lease on the copy and updates the copy. */
async function update(settings: Settings, target: Target): Promise<Summary> {
  const { command, from, reload, allowDeletes } = settings
  const isEndless = command === 'follow'
  const state = await target.acquire(newState(from))
  const renewal = setInterval(() => {
    target.renew().catch((error: unknown) => {
      if (error instanceof Failure) stop.abort(error)
    })
  }, renewEveryMs)
  try {
    if (state.source !== from)
      throw usage(`this copy is of ${state.source}: use that as --from, another --prefix, or reset it`)
    const run = new Run({ client: clientOf(settings), target, state, allowDeletes, signal: stop.signal, log })
    await run.update({ reload, isEndless }).catch((error: unknown) => {
      if (!isEndless || stop.signal.reason !== stopped) throw error
    })
    const { after } = run.state
    return { ...run.counts, deals: await target.count(), after, last: run.last, stopped: stop.signal.aborted }
  } finally {
    clearInterval(renewal)
    await target.release().catch(() => {})
  }
}

/** Checks everything that an update needs, but changes nothing. */
async function check(settings: Settings, target: Target): Promise<Summary> {
  const client = clientOf(settings)
  const { last } = await client.events.list({ after: -1, limit: 1 })
  const { deals } = await client.deals.searchPage({ limit: 1 })
  const stored = await target.read()
  await target.probe()
  return { last, hasDeals: deals.length > 0, isLoaded: stored?.state.after != null }
}

async function status(settings: Settings, target: Target): Promise<Summary> {
  const stored = await target.read()
  if (stored === null) return { isLoaded: false }
  const { source, after, load, loadedAt, comparedAt } = stored.state
  const { last } = await clientOf(settings).events.list({ after: -1, limit: 1 })
  const deals = await target.count()
  const behind = after === null ? null : last - after
  const [isLoaded, loading, holder] = [after !== null, load?.deals ?? null, stored.name || null]
  return { source, isLoaded, deals, after, last, behind, loading, loadedAt, comparedAt, holder }
}

async function reset({ from }: Settings, target: Target): Promise<Summary> {
  await target.acquire(newState(from))
  await target.drop()
  return {}
}
