import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmod, lstat, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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

// Ignores the developer's `.env` file.
const noEnvFile = '--env-file=/dev/null'

/** Result of a command. */
export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

/** A program of the product in its own process, such as a worker. */
export interface RunningProgram {
  process: ChildProcess
  /** Returns everything written to standard output and standard error so far. */
  output(): string
  /** Stops the program and waits until it has ended. Returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** A system under test, in its own process or in the test's process. */
export interface TestedSystem {
  url: string
  dataDir: string
  /** Returns everything written to standard output and standard error so far. */
  output(): string
  /** Runs an operator command on this system. `input` is the command's standard input. */
  operator(words: string[], input?: string): Promise<CommandResult>
  /** The system's database, for test setup. */
  db: Database
  /** Creates a partner with a token and these deals. */
  makePartner: MakePartner
  /** Creates an internal token. */
  makeInternalToken(): Promise<string>
}

/** The complete product in its own process, on its own data directory. */
export interface RunningSystem extends TestedSystem {
  process: ChildProcess
  /** Environment variables of its programs. */
  env: NodeJS.ProcessEnv
  databaseUrl: string
  /** Starts a separate worker with the same configuration plus `env`. Waits until the worker is ready. */
  startWorker(env?: Record<string, string>): Promise<RunningProgram>
  /** Stops the system and waits until it has ended. Returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  /** Stops the system and removes its data directory. */
  dispose(): Promise<void>
}

const running = new Map<string, RunningSystem>()

/** Returns the running system at `url`, which this process must have started. */
export function systemAt(url: string): RunningSystem {
  const system = running.get(new URL(url).origin)
  if (system === undefined) throw new Error(`No system of this process answers at ${url}`)
  return system
}

/**
 * Starts the built product and waits until it is ready. By default, it uses its own copy of the prepared data
 * directory. `isQuiet` discards the log, because reading it takes time that a benchmark would measure.
 */
export async function startSystem(
  options: { env?: Record<string, string>; dataDir?: string; isQuiet?: boolean } = {},
): Promise<RunningSystem> {
  const dataDir = options.dataDir ?? (await copiedDirectory(options.env?.DEMO === 'on' ? 'on' : 'off'))
  const port = Number(options.env?.PORT ?? (await freePort()))
  const env: NodeJS.ProcessEnv = {
    ...inherited(),
    NODE_ENV: 'production',
    NODE_COMPILE_CACHE: 'node_modules/.cache/node',
    PORT: String(port),
    DATA_DIR: dataDir,
    DEMO: 'off',
    RATE_LIMIT_PER_MINUTE: '1000000',
    DRAIN_S: '0',
    ...options.env,
  }
  const url = `http://127.0.0.1:${port}`
  const ready = (text: string) => (options.isQuiet ? null : text)
  const started = await launch('server/main.ts', env, ready('Ctrl-C stops it.'))
  if (options.isQuiet) await untilOk(started, `${url}/readyz`)
  const { process: child, output, stop: end } = started
  const workers: RunningProgram[] = []
  const databaseUrl = env.DATABASE_URL ?? (await embeddedUrl(dataDir))
  const db = openDatabase(databaseUrl, 4)

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    await db.$client.end({ timeout: 5 })
    return end(signal)
  }

  const system: RunningSystem = {
    url,
    dataDir,
    process: child,
    env,
    databaseUrl,
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
        ready('The worker of Partner Deals is ready'),
      )
      workers.push(worker)
      return worker
    },
    stop,
    async dispose() {
      // Kill all workers, even stopped ones that a failed test left behind, because they keep the database
      // running.
      await Promise.all(workers.map((worker) => worker.stop('SIGKILL')))
      if (child.exitCode === null && child.signalCode === null) await stop()
      running.delete(system.url)
      // Retry, because a stopping database may still write files.
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
  running.set(system.url, system)
  return system
}

/** Returns this process's variables that do not configure the product. */
const inherited = ({ HOME, PATH, TMPDIR } = process.env) => ({ HOME, PATH, TMPDIR })

/**
 * Starts a program and waits until it prints `ready`. If `ready` is null, discards standard output and does
 * not wait; Ctrl-C then does not reach the program.
 */
export async function launch(
  program: string,
  env: NodeJS.ProcessEnv,
  ready: string | null,
  words: string[] = [],
): Promise<RunningProgram> {
  const child = spawn(process.execPath, [...nodeArguments, noEnvFile, program, ...words], {
    cwd: root,
    env,
    stdio: ['ignore', ready === null ? 'ignore' : 'pipe', 'pipe'],
    detached: ready === null,
  })
  let output = ''
  const ended = new Promise<number | null>((resolve) => void child.once('close', resolve))
  await new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      output += chunk
      if (ready !== null && output.includes(ready)) resolve()
    }
    child.stdout?.on('data', take)
    child.stderr!.on('data', take)
    void ended.then((code) => reject(new Error(`The program ended with ${code}:\n${output}`)))
    if (ready === null) resolve()
  })
  return {
    process: child,
    // Omit the last line if it is incomplete.
    output: () => output.slice(0, output.lastIndexOf('\n') + 1),
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/** Waits until the running program responds to GET requests of `url`. */
export async function untilOk({ process: child, output }: RunningProgram, url: string): Promise<void> {
  const isOk = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
  for (; !(await isOk()); await sleep(20))
    if (child.exitCode !== null) throw new Error(`The program ended with ${child.exitCode}:\n${output()}`)
}

/** Returns the URL of the embedded database in a data directory. */
export async function embeddedUrl(dataDir: string): Promise<string> {
  const [password, port] = await Promise.all(
    ['postgres-password', 'postgres-port'].map((name) => readFile(join(dataDir, name), 'utf8')),
  )
  return `postgres://postgres:${password!.trim()}@127.0.0.1:${port!.trim()}/partner_deals`
}

/** Runs a program and waits until it ends. */
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
    // A command that does not read its input may exit before the input is written.
    child.stdin.on('error', () => {}).end(input)
  })
}

/** Returns a new directory that PostgreSQL's user can access, so that the database cluster can be inside. */
export async function temporaryDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'partner-deals-e2e-'))
  await chmod(path, 0o755)
  return path
}

/**
 * Returns the name of the environment variable that contains the directory prepared with or without the demo.
 */
export const startedDirectory = (demo: 'on' | 'off') => `TEST_STARTED_WITH_DEMO_${demo}`

/**
 * Returns a new data directory. If there is a prepared directory, copies it, because creating a database
 * cluster takes longer.
 */
async function copiedDirectory(demo: 'on' | 'off'): Promise<string> {
  const directory = await temporaryDirectory()
  const started = process.env[startedDirectory(demo)]
  // A cluster outside its data directory cannot be copied.
  if (started !== undefined && (await lstat(join(started, 'postgres'))).isDirectory())
    await promisify(execFile)('cp', ['-a', `${started}/.`, directory])
  return directory
}
