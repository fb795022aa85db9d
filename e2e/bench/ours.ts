import type { StdioOptions } from 'node:child_process'
import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#db/free-port.ts'
import { embeddedUrl } from '#e2e/system.ts'
import type { DealFile } from './deal-file.ts'
import {
  type Started,
  peakResidentMb,
  residentMb,
  scriptText,
  startLine,
  stop,
  waitUntil,
} from './process.ts'

/** The cost of an import. */
export interface ImportRun {
  perS: number
  peakMb: number
}

/** The product on its own data directory, run through its npm scripts. */
export interface Ours {
  url: string
  directory: string
  databaseUrl(): Promise<string>
  /** Starts it; `within` wraps the shell command. */
  start(environment?: Record<string, string>, within?: (line: string) => string): Promise<void>
  stop(): Promise<void>
  /** Sends the server process a signal. */
  signal(name: NodeJS.Signals): void
  /** Starts a separate worker; the system must run with WORKER=off. */
  startWorker(): Started
  residentMb(): Promise<number>
  /** The peak since the start. */
  peakMb(): Promise<number>
  /** Runs an operator command. Returns its output. */
  operator(...words: string[]): Promise<string>
  /** Imports a file with the operator command; every deal in it must have the result `outcome`. */
  importFile(
    file: DealFile,
    slug: string,
    outcome: 'created' | 'updated' | 'unchanged',
    ...words: string[]
  ): Promise<ImportRun>
}

/** Prepares the product in an empty directory; `stack` ends and removes it. */
export async function makeOurs(stack: AsyncDisposableStack): Promise<Ours> {
  const directory = await mkdtemp(join(tmpdir(), 'partner-deals-bench-'))
  const dataDir = join(directory, 'data')
  stack.defer(() => remove(directory, dataDir))
  // As root, PostgreSQL runs as another user, who must be able to enter.
  await chmod(directory, 0o755)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const environment = {
    PORT: String(port),
    DATA_DIR: dataDir,
    DEMO: 'off',
    RATE_LIMIT_PER_MINUTE: '1000000000',
  }
  let server: Started | undefined

  return {
    url,
    directory,
    databaseUrl: () => embeddedUrl(dataDir),
    async start(more = {}, within = (line) => line) {
      // The log is written as in production, but not read.
      server = startLine(stack, within(scriptText('start')), [], { ...environment, ...more }, [
        'ignore',
        'ignore',
        'pipe',
      ])
      await waitUntil(server, 'The system', async () => (await fetch(`${url}/readyz`)).ok)
    },
    stop: async () => server && stop(server),
    signal: (name) => void server!.child.kill(name),
    startWorker: () => startLine(stack, scriptText('worker'), [], environment, ['ignore', 'ignore', 'pipe']),
    residentMb: () => residentMb(server!.child.pid!),
    peakMb: () => peakResidentMb(server!.child.pid!),
    operator: (...words) => runOperator(stack, words, environment),
    async importFile({ path, deals }, slug, outcome, ...words) {
      const began = performance.now()
      const command = ['import', path, '--partner', slug, '--json', ...words]
      const peakFile = join(directory, 'peak-memory')
      const counts = await runOperator(stack, command, {
        ...environment,
        NODE_OPTIONS: `--import=${join(import.meta.dirname, 'peak-memory.ts')}`,
        PEAK_MEMORY_FILE: peakFile,
      })
      const seconds = (performance.now() - began) / 1000
      if (JSON.parse(counts)[outcome] !== deals)
        throw new Error(`The import was to leave ${deals} deals ${outcome}, and says ${counts}`)
      return { perS: deals / seconds, peakMb: Number(await readFile(peakFile, 'utf8')) }
    },
  }
}

/** Runs an operator command. Returns its output. */
async function runOperator(
  stack: AsyncDisposableStack,
  words: string[],
  environment: Record<string, string>,
): Promise<string> {
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe']
  const command = startLine(stack, scriptText('operator'), words, environment, stdio)
  const code = await command.ended
  const { stdout, stderr } = command.output()
  if (code !== 0) throw new Error(`operator ${words.join(' ')} ended with ${code}\n${stdout}${stderr}`)
  return stdout.trim()
}

/** Removes everything, including the database that a killed system may have left running. */
async function remove(directory: string, dataDir: string): Promise<void> {
  const cluster = await realpath(join(dataDir, 'postgres')).catch(() => null)
  if (cluster !== null) {
    const pid = Number(
      (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0],
    )
    if (pid > 0 && isAlive(pid)) {
      process.kill(pid, 'SIGINT')
      while (isAlive(pid)) await sleep(20)
    }
    await rm(cluster, { recursive: true, force: true })
  }
  await rm(directory, { recursive: true, force: true })
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
