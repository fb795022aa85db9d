import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildCopy } from '#server/programs/build-copy.ts'

const root = join(import.meta.dirname, '../..')

/** Result of a finished run of partner-deals-copy. */
export interface Ended {
  code: number | null
  /** The JSON line that the program printed; empty if it was killed. */
  summary: Record<string, unknown>
  stderr: string
}

/** A run that has not ended. */
export interface Running {
  process: ChildProcess
  stderr: () => string
  ended: Promise<Ended>
  isRunning: () => boolean
}

const running = new Set<ChildProcess>()

/** Kills all runs that are still active, for instance after a failed test. */
export function endCopies(): void {
  for (const child of running) child.kill('SIGKILL')
}

let built: Promise<string> | undefined

/** Bundles the program like the download for partners, once per process. Returns the bundle's path. */
function bundledProgram(): Promise<string> {
  built ??= (async () => {
    mkdirSync(join(root, '.test'), { recursive: true })
    const path = join(root, `.test/partner-deals-copy-${process.pid}.mjs`)
    await buildCopy(path)
    return path
  })()
  return built
}

/** Source and target of a run. */
export interface CopyPlan {
  url: string
  token: string
  to: string
}

/** Starts the program. `node` is the path of the Node executable to use. */
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

/** Runs the program and waits until it ends. */
export const runCopy = async (...given: Parameters<typeof startCopy>): Promise<Ended> =>
  (await startCopy(...given)).ended
