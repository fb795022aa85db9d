import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildCopy } from '#server/programs/build-copy.ts'

const root = join(import.meta.dirname, '../..')

/** A run of partner-deals-copy that has ended. */
export interface Ended {
  code: number | null
  /** The line of JSON that it printed; empty if it was killed. */
  summary: Record<string, unknown>
  stderr: string
}

/** A run that goes on. */
export interface Running {
  process: ChildProcess
  stderr: () => string
  ended: Promise<Ended>
  isRunning: () => boolean
}

const running = new Set<ChildProcess>()

/** Ends all runs, such as those of a test that failed. */
export function endCopies(): void {
  for (const child of running) child.kill('SIGKILL')
}

let built: Promise<string> | undefined

/** Bundles the program as partners download it, once in a process. Returns its path. */
function bundledProgram(): Promise<string> {
  built ??= (async () => {
    mkdirSync(join(root, '.test'), { recursive: true })
    const path = join(root, `.test/partner-deals-copy-${process.pid}.mjs`)
    await buildCopy(path)
    return path
  })()
  return built
}

/** Where a run takes deals from and where it puts them. */
export interface CopyPlan {
  url: string
  token: string
  to: string
}

/** Starts the program; `node` is the Node to run it on. */
export async function startCopy(
  { url, token, to }: CopyPlan,
  words: string[],
  { node = process.execPath }: { node?: string } = {},
): Promise<Running> {
  const child = spawn(node, [await bundledProgram(), ...words], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'production',
      PARTNER_DEALS_URL: url,
      PARTNER_DEALS_TOKEN: token,
      PARTNER_DEALS_COPY_TO: to,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      output[name] += chunk
    })
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => {
      running.delete(child)
      resolve({
        code,
        summary: output.stdout === '' ? {} : JSON.parse(output.stdout),
        stderr: output.stderr,
      })
    })
  })
  const isRunning = () => child.exitCode === null && child.signalCode === null
  return { process: child, stderr: () => output.stderr, ended, isRunning }
}

/** Runs the program to its end. */
export const runCopy = async (...given: Parameters<typeof startCopy>): Promise<Ended> =>
  (await startCopy(...given)).ended
