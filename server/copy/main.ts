import { setFlagsFromString } from 'node:v8'
import { Api } from './api.ts'
import { Failure, exitCodes, messageOf, usage } from './failures.ts'
import { ddlOf, openTarget } from './open-target.ts'
import { Run } from './run.ts'
import { type Settings, help, readSettings } from './settings.ts'
import { newState } from './state.ts'
import { secretsOf } from './target-url.ts'
import { type Target, renewEveryMs } from './target.ts'
import { summaryOf, verify } from './verify.ts'

// partner-deals-copy: keeps a copy of a partner's deals in its own database or folder. Runs at the partner, as
// one file, on Node alone.

// Pages are read and dropped at once: room for more of them would only cost memory.
setFlagsFromString('--semi-space-growth-factor=1')

type Summary = Record<string, unknown>

const began = Date.now()
const stop = new AbortController()
/** The reason of a stop that somebody asked for. */
const stopped = new Failure('stopped')
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort(stopped))

let secrets: string[] = []
const withoutSecrets = (text: string) =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
const log = (line: string) => void process.stderr.write(`${withoutSecrets(line)}\n`)

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
    if (settings === null) {
      process.stdout.write(help)
      return exitCodes.ok
    }
    command = settings.command
    secrets = [settings.token, ...secretsOf(settings.to)].filter((secret) => secret.length > 3)
    if (command === 'print-ddl') {
      process.stdout.write(await ddlOf(settings.to, settings.prefix))
      return exitCodes.ok
    }
    for (const note of 'notes' in settings.to ? settings.to.notes : []) log(note)
    const { code = exitCodes.ok, ...summary } = await execute(settings)
    return end(summary, code as number)
  } catch (error) {
    const message = messageOf(error)
    log(message)
    return end({ error: message }, error instanceof Failure ? error.exitCode : exitCodes.failed)
  }
}

async function execute(settings: Settings): Promise<Summary> {
  const { command, from, to, prefix, token } = settings
  if (command === 'reset' && !settings.yes) throw usage('reset removes the copy: confirm with --yes')
  const api = new Api({
    base: from,
    token,
    signal: stop.signal,
    log,
    ...(command === 'follow' ? { retries: Infinity } : {}),
  })
  if (command === 'follow') return follow(settings, api)
  const target = await openTarget(to, prefix)
  try {
    switch (command) {
      case 'check':
        return await check(api, target)
      case 'status':
        return await status(api, target)
      case 'verify': {
        const found = await verify(api, target)
        const isSame = found.missing.length + found.different.length + found.extra.length === 0
        return { ...summaryOf(found), code: isSame ? exitCodes.ok : exitCodes.differs }
      }
      case 'reset':
        await target.claim(newState(from))
        await target.drop()
        return {}
      default:
        return await update(settings, api, target)
    }
  } finally {
    await target.close().catch(() => {})
  }
}

/** Follows the events until it is stopped, through outages of the database. */
async function follow(settings: Settings, api: Api): Promise<Summary> {
  for (let attempt = 0; ; attempt++) {
    let hasBegun = attempt > 0
    let target: Target | null = null
    try {
      target = await openTarget(settings.to, settings.prefix)
      hasBegun = true
      return await update(settings, api, target)
    } catch (error) {
      if (!hasBegun || error instanceof Failure) throw error
      log(`${messageOf(error)}; next try in ${retryMs / 1000} s`)
      await new Promise((resolve) => {
        setTimeout(resolve, retryMs)
        stop.signal.addEventListener('abort', resolve)
      })
      if (stop.signal.aborted) throw stop.signal.reason
    } finally {
      await target?.close().catch(() => {})
    }
  }
}

const retryMs = 5000

/** Brings the copy up to date, while this run has it. */
async function update(settings: Settings, api: Api, target: Target): Promise<Summary> {
  const { command, from, reload, allowDeletes } = settings
  const state = await target.claim(newState(from))
  const lost = new AbortController()
  const signal = AbortSignal.any([stop.signal, lost.signal])
  const renewal = setInterval(() => {
    target.renew().catch((error: unknown) => {
      if (error instanceof Failure) lost.abort(error)
    })
  }, renewEveryMs)
  try {
    if (state.source !== from)
      throw usage(`this copy is of ${state.source}: use that as --from, another --prefix, or reset it`)
    const run = new Run({ api, target, state, allowDeletes, signal, log })
    const isEndless = command === 'follow'
    const isStopped = await run.bringUpToDate({ reload, isEndless }).then(
      () => false,
      (error: unknown) => {
        if (signal.aborted && isEndless && signal.reason === stopped) return true
        throw signal.aborted ? signal.reason : error
      },
    )
    const { counts, after, last } = run
    return { ...counts, deals: await target.count(), after, last, ...(isStopped ? { stopped: true } : {}) }
  } finally {
    clearInterval(renewal)
    await target.release().catch(() => {})
  }
}

/** Tries everything that a run needs, and changes nothing. */
async function check(api: Api, target: Target): Promise<Summary> {
  const { last } = await api.events(-1, { limit: 1 })
  const { deals } = await api.search(null)
  const stored = await target.read()
  await target.probe()
  return {
    last,
    hasDeals: deals.length > 0,
    ...(await target.describe()),
    isLoaded: stored?.state.after != null,
  }
}

async function status(api: Api, target: Target): Promise<Summary> {
  const stored = await target.read()
  if (stored === null) return { isLoaded: false }
  const { after, load, loadedAt, comparedAt, source } = stored.state
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
    holder: stored.holder,
  }
}
