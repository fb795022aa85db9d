import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { Api } from './api.ts'
import { Failure, exitCodes, messageOf, usage } from './failures.ts'
import { ddlOf, openTarget } from './open-target.ts'
import { Run } from './run.ts'
import { type Settings, help, readSettings } from './settings.ts'
import { newState } from './state.ts'
import { type Target, renewEveryMs } from './target.ts'
import { verify } from './verify.ts'

// partner-deals-copy: keeps a copy of a partner's deals in its own database or folder. Runs at the partner, as
// one file, on Node alone.

// Pages are read and dropped at once: room for more of them would only cost memory.
setFlagsFromString('--semi-space-growth-factor=1')

type Summary = Record<string, unknown>

const reconnectMs = 5000
const began = Date.now()
/** Ends the run between two transactions: somebody asked for it, or another run has taken the copy. */
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
  verify: (_settings: Settings, api: Api, target: Target): Promise<Summary> => verify(api, target),
  status,
  reset,
}

process.exitCode = await start()

/** Runs the command and prints its summary. Returns the exit code. */
async function start(): Promise<number> {
  let command: string | null = null
  const end = (summary: Summary, code: number) => {
    const seconds = Math.round((Date.now() - began) / 100) / 10
    const text = JSON.stringify({ command, ok: code === 0, ...summary, seconds })
    process.stdout.write(`${withoutSecrets(text)}\n`)
    return code
  }
  try {
    const settings = readSettings(process.argv.slice(2), process.env)
    if (settings === null || settings.command === 'print-ddl') {
      process.stdout.write(settings === null ? help : ddlOf(settings.to, settings.prefix))
      return exitCodes.ok
    }
    const { token, to } = settings
    ;({ command } = settings)
    secrets = [token, ('password' in to && to.password) || ''].filter((secret) => secret.length > 3)
    if ('sslmode' in to && to.sslmode === 'require')
      log('sslmode=require encrypts without verifying the server: with verify-full nobody can pose as it')
    const { code = exitCodes.ok, ...summary } = await execute(settings, settings.command)
    return end(summary, code as number)
  } catch (error) {
    const message = messageOf(error)
    log(message)
    return end({ error: message }, error instanceof Failure ? error.exitCode : exitCodes.failed)
  }
}

/** Runs a command with its target; `follow` goes on when the database is back after an outage. */
async function execute(settings: Settings, command: keyof typeof commands): Promise<Summary> {
  const { from, to, prefix, token } = settings
  if (command === 'reset' && !settings.yes) throw usage('reset removes the copy: confirm with --yes')
  const isEndless = command === 'follow'
  const api = new Api({ base: from, token, signal: stop.signal, log, retries: isEndless ? Infinity : 8 })
  for (let hasBegun = false; ;) {
    let target: Target | null = null
    try {
      target = await openTarget(to, prefix)
      hasBegun = true
      return await commands[command](settings, api, target)
    } catch (error) {
      if (!isEndless || !hasBegun || error instanceof Failure) throw error
      log(`${messageOf(error)}; next try in ${reconnectMs / 1000} s`)
      await sleep(reconnectMs, undefined, { signal: stop.signal }).catch(() => stop.signal.throwIfAborted())
    } finally {
      await target?.close().catch(() => {})
    }
  }
}

/** Brings the copy up to date, while this run has it. */
async function update(settings: Settings, api: Api, target: Target): Promise<Summary> {
  const { from, reload, allowDeletes } = settings
  const isEndless = settings.command === 'follow'
  const state = await target.claim(newState(from))
  const renewal = setInterval(() => {
    target.renew().catch((error: unknown) => {
      if (error instanceof Failure) stop.abort(error)
    })
  }, renewEveryMs)
  try {
    if (state.source !== from)
      throw usage(`this copy is of ${state.source}: use that as --from, another --prefix, or reset it`)
    const run = new Run({ api, target, state, allowDeletes, signal: stop.signal, log })
    await run.bringUpToDate({ reload, isEndless }).catch((error: unknown) => {
      const reason: unknown = stop.signal.aborted ? stop.signal.reason : error
      if (!isEndless || reason !== stopped) throw reason
    })
    const {
      counts,
      state: { after },
      last,
    } = run
    return { ...counts, deals: await target.count(), after, last, stopped: stop.signal.aborted }
  } finally {
    clearInterval(renewal)
    await target.release().catch(() => {})
  }
}

/** Tries everything that a run needs, and changes nothing. */
async function check(_settings: Settings, api: Api, target: Target): Promise<Summary> {
  const { last } = await api.events(-1, { limit: 1 })
  const { deals } = await api.search()
  const stored = await target.read()
  await target.probe()
  const isLoaded = stored?.state.after != null
  return { ...(await target.describe()), last, hasDeals: deals.length > 0, isLoaded }
}

async function status(_settings: Settings, api: Api, target: Target): Promise<Summary> {
  const stored = await target.read()
  if (stored === null) return { isLoaded: false }
  const { name, state } = stored
  const { after, load, loadedAt, comparedAt, source } = state
  const { last } = await api.events(-1, { limit: 1 })
  return {
    source,
    isLoaded: after !== null,
    deals: await target.count(),
    after,
    last,
    behind: after === null ? null : last - after,
    loading: load?.deals ?? null,
    loadedAt,
    comparedAt,
    holder: name || null,
  }
}

async function reset({ from }: Settings, _api: Api, target: Target): Promise<Summary> {
  await target.claim(newState(from))
  await target.drop()
  return {}
}
