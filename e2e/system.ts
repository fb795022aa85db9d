import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmod, lstat, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Database, openDatabase } from '#db/client.ts'
import { freePort } from '#db/free-port.ts'
import { type MakePartner, makeInternalToken, makePartner } from './partners.ts'

export type { TestPartner } from './partners.ts'

const root = join(import.meta.dirname, '..')

/** Node flags of the scripts in package.json. */
export const nodeArguments = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=100',
  '--no-allocation-site-pretenuring',
]

// In place of the developer's `.env`.
const noEnvFile = '--env-file=/dev/null'

/** The result of a command. */
export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

/** A process that sends webhooks and serves no requests. */
export interface RunningWorker {
  process: ChildProcess
  /** Everything written to standard output and standard error so far. */
  output(): string
  /** Stops it and waits for its end. Returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** A system for test requests, in its own process or in the test's. */
export interface TestedSystem {
  url: string
  dataDir: string
  /** Everything written to standard output and standard error so far. */
  output(): string
  /** Runs an operator command on this system, with `input` as its standard input. */
  operator(words: string[], input?: string): Promise<CommandResult>
  /** Its database, for test setup. */
  db: Database
  /** A new partner with a token and these deals. */
  makePartner: MakePartner
  /** A new internal token. */
  makeInternalToken(): Promise<string>
}

/** The whole product in its own process, on its own data directory. */
export interface RunningSystem extends TestedSystem {
  process: ChildProcess
  /** Starts a separate worker with the same configuration, except for `env`. Waits until it is ready. */
  startWorker(env?: Record<string, string>): Promise<RunningWorker>
  /** Stops it and waits for its end. Returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  /** Stops it and removes its data directory. */
  dispose(): Promise<void>
}

const running = new Map<string, RunningSystem>()

/** Returns this process's system at `url`. */
export function systemAt(url: string): RunningSystem {
  const system = running.get(new URL(url).origin)
  if (system === undefined) throw new Error(`No system of this process answers at ${url}`)
  return system
}

/**
 * Starts the built product; without `dataDir`, on its own copy of a first start's directory. Waits until it
 * is ready.
 */
export async function startSystem(
  options: { env?: Record<string, string>; dataDir?: string } = {},
): Promise<RunningSystem> {
  const dataDir = options.dataDir ?? (await copiedDirectory(options.env?.DEMO === 'on' ? 'on' : 'off'))
  const port = Number(options.env?.PORT ?? (await freePort()))
  const env: NodeJS.ProcessEnv = {
    ...environment(),
    NODE_ENV: 'production',
    NODE_COMPILE_CACHE: 'node_modules/.cache/node',
    PORT: String(port),
    DATA_DIR: dataDir,
    DEMO: 'off',
    RATE_LIMIT_PER_MINUTE: '1000000',
    DRAIN_S: '0',
    ...options.env,
  }
  const { process: child, output, stop: end } = await launch('server/main.ts', env, 'Ctrl-C stops it.')
  const workers: RunningWorker[] = []
  const db = openDatabase(env.DATABASE_URL ?? (await embeddedUrl(dataDir)), 4)

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    await db.$client.end({ timeout: 5 })
    return end(signal)
  }

  const system: RunningSystem = {
    url: `http://127.0.0.1:${port}`,
    dataDir,
    process: child,
    output,
    operator: (words, input) =>
      run(process.execPath, [...nodeArguments, 'server/operator.ts', ...words], env, input),
    db,
    makePartner: makePartner(db),
    makeInternalToken: makeInternalToken(db),
    async startWorker(more = {}) {
      const worker = await launch(
        'server/worker.ts',
        { ...env, ...more },
        'The worker of Partner Deals is ready',
      )
      workers.push(worker)
      return worker
    },
    stop,
    async dispose() {
      // Including those that a failed test left stopped: they would keep the database running.
      await Promise.all(workers.map((worker) => worker.stop('SIGKILL')))
      if (child.exitCode === null && child.signalCode === null) await stop()
      running.delete(system.url)
      // A database that ends in the meantime still writes its last files.
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
  running.set(system.url, system)
  return system
}

/** Starts a program of the product and waits until it is ready. */
async function launch(program: string, env: NodeJS.ProcessEnv, ready: string): Promise<RunningWorker> {
  const child = spawn(process.execPath, [...nodeArguments, noEnvFile, program], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ended = new Promise<number | null>((resolve) => void child.once('close', resolve))
  await new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      output += chunk
      if (output.includes(ready)) resolve()
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    void ended.then((code) => reject(new Error(`The system ended with ${code}:\n${output}`)))
  })
  return {
    process: child,
    // Whole lines: the last one may be incomplete.
    output: () => output.slice(0, output.lastIndexOf('\n') + 1),
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

const configured =
  /^(?:DATABASE_.*|DATA_DIR|DRAIN_S|PORT|HOST|PUBLIC_URL|AUTH_SECRET|DEMO|LOG_LEVEL|WORKER|ENCRYPTION_KEY|RATE_LIMIT_PER_MINUTE|PAGE_CACHE_MB|LIVE_STREAMS_MAX|FILE_URL_TTL_SECONDS|WEBHOOK_.*|EVENT_RETENTION_DAYS|SMTP_URL|SUPPORT_CONTACT|OIDC_.*|METRICS_.*|OTEL_.*)$/

/** Returns this process's variables without those that configure the product. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    // Node warns of two contradicting ones, which would appear in a command's output.
    Object.entries(process.env).filter(
      ([name]) => !configured.test(name) && !/^(?:NO|FORCE)_COLOR$/.test(name),
    ),
  ) as NodeJS.ProcessEnv
}

/** Returns the URL of the embedded database in a data directory. */
export async function embeddedUrl(dataDir: string): Promise<string> {
  const [password, port] = await Promise.all(
    ['postgres-password', 'postgres-port'].map((name) => readFile(join(dataDir, name), 'utf8')),
  )
  return `postgres://postgres:${password!.trim()}@127.0.0.1:${port!.trim()}/partner_deals`
}

/** Runs a program to its end. */
export function run(
  program: string,
  words: string[],
  env: NodeJS.ProcessEnv,
  input = '',
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(program, program === process.execPath ? [noEnvFile, ...words] : words, {
      cwd: root,
      env,
    })
    const result: CommandResult = { code: null, stdout: '', stderr: '' }
    child.stdout.on('data', (chunk: Buffer) => {
      result.stdout += chunk
    })
    child.stderr.on('data', (chunk: Buffer) => {
      result.stderr += chunk
    })
    child.once('close', (code) => resolve({ ...result, code }))
    // A command that reads nothing may exit before its input is written.
    child.stdin.on('error', () => {}).end(input)
  })
}

/** Returns a new directory that PostgreSQL's user can enter, so that the cluster stays inside. */
export async function temporaryDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'partner-deals-e2e-'))
  await chmod(path, 0o755)
  return path
}

/** Returns the variable with a first start's directory, with or without the demo. */
export const startedDirectory = (demo: 'on' | 'off') => `TEST_STARTED_WITH_DEMO_${demo}`

/**
 * Returns a new directory like a first start's, copied if the run has one: creating a cluster takes longer
 * than copying it.
 */
async function copiedDirectory(demo: 'on' | 'off'): Promise<string> {
  const directory = await temporaryDirectory()
  const started = process.env[startedDirectory(demo)]
  // A cluster in another location stays that of its first directory.
  if (started !== undefined && (await lstat(join(started, 'postgres'))).isDirectory())
    await promisify(execFile)('cp', ['-a', `${started}/.`, directory])
  return directory
}
