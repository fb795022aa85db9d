import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '#db/free-port.ts'
import { embeddedUrl, temporaryDirectory } from '#e2e/system.ts'
import type { DealFile } from './deal-file.ts'
import { type Started, peakResidentMb, residentMb, startScript, stop, waitUntil } from './process.ts'

/** The product on its own data directory, run by its npm scripts. */
export type Ours = Awaited<ReturnType<typeof makeOurs>>

/** Prepares the product in an empty directory. `stack` stops the product and removes the directory. */
export async function makeOurs(stack: AsyncDisposableStack) {
  const directory = await temporaryDirectory()
  stack.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }))
  const dataDir = join(directory, 'data')
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
    server = startScript(stack, 'start', { ...environment, ...more })
    await waitUntil(server, 'The system', async () => (await fetch(`${url}/readyz`)).ok)
  }

  async function operator(words: string[], more: Record<string, string> = {}): Promise<string> {
    const command = startScript(stack, 'operator', { ...environment, ...more }, words)
    const code = await command.ended
    const { stdout, stderr } = command.output()
    if (code !== 0) throw new Error(`operator ${words.join(' ')} ended with ${code}\n${stdout}${stderr}`)
    return stdout.trim()
  }

  return {
    url,
    directory,
    databaseUrl: () => embeddedUrl(dataDir),
    start,
    /** Restarts the system with these additional variables. */
    async restart(more: Record<string, string> = {}): Promise<void> {
      await stop(server!)
      await start(more)
    },
    /** Starts a separate worker. The system must run with WORKER=off. */
    startWorker: () => startScript(stack, 'worker', environment),
    signal: (signal: NodeJS.Signals) => server!.child.kill(signal),
    residentMb: () => residentMb(server!.child.pid!),
    /** Returns the peak memory since the last start. */
    peakMb: () => peakResidentMb(server!.child.pid!),
    /** Runs an operator command. Returns the command's output. */
    operator: (...words: string[]) => operator(words),
    /** Imports a file with the operator command. Every deal in the file must have the result `outcome`. */
    async importFile(
      { path, deals }: DealFile,
      slug: string,
      outcome: 'created' | 'updated' | 'unchanged',
      ...words: string[]
    ): Promise<{ perS: number; peakMb: number }> {
      const began = performance.now()
      const peakFile = join(directory, 'peak-memory')
      const counts = await operator(['import', path, '--partner', slug, '--json', ...words], {
        NODE_OPTIONS: `--import=${join(import.meta.dirname, 'peak-memory.ts')}`,
        PEAK_MEMORY_FILE: peakFile,
      })
      const seconds = (performance.now() - began) / 1000
      if (JSON.parse(counts)[outcome] !== deals)
        throw new Error(`Expected ${deals} deals ${outcome} by the import: ${counts}`)
      return { perS: deals / seconds, peakMb: Number(await readFile(peakFile, 'utf8')) }
    },
  }
}
