import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

/** The product on its own data directory, run through its npm scripts. */
export type Ours = Awaited<ReturnType<typeof makeOurs>>

/** Prepares the product in an empty directory; `stack` ends and removes it. */
export async function makeOurs(stack: AsyncDisposableStack) {
  const directory = await mkdtemp(join(tmpdir(), 'partner-deals-bench-'))
  const dataDir = join(directory, 'data')
  stack.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }))
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

  async function start(more: Record<string, string> = {}): Promise<void> {
    // The log is written as in production, but not read.
    const stdio = ['ignore', 'ignore', 'pipe'] as const
    server = startLine(stack, scriptText('start'), [], { ...environment, ...more }, [...stdio])
    await waitUntil(server, 'The system', async () => (await fetch(`${url}/readyz`)).ok)
  }
  const pid = () => server!.child.pid!

  return {
    url,
    directory,
    databaseUrl: () => embeddedUrl(dataDir),
    start,
    /** Stops it, and starts it with these variables. */
    async restart(more: Record<string, string> = {}): Promise<void> {
      await stop(server!)
      await start(more)
    },
    /** Sends the server process a signal. */
    signal: (name: NodeJS.Signals) => void server!.child.kill(name),
    /** Starts a separate worker; the system must run with WORKER=off. */
    startWorker: () => startLine(stack, scriptText('worker'), [], environment, ['ignore', 'ignore', 'pipe']),
    residentMb: () => residentMb(pid()),
    /** Returns the peak since the start. */
    peakMb: () => peakResidentMb(pid()),
    /** Runs an operator command. Returns its output. */
    operator: (...words: string[]) => runOperator(stack, words, environment),
    /** Imports a file with the operator command; every deal in it must have the result `outcome`. */
    async importFile(
      { path, deals }: DealFile,
      slug: string,
      outcome: 'created' | 'updated' | 'unchanged',
      ...words: string[]
    ): Promise<{ perS: number; peakMb: number }> {
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
  const command = startLine(stack, scriptText('operator'), words, environment, ['ignore', 'pipe', 'pipe'])
  const code = await command.ended
  const { stdout, stderr } = command.output()
  if (code !== 0) throw new Error(`operator ${words.join(' ')} ended with ${code}\n${stdout}${stderr}`)
  return stdout.trim()
}
