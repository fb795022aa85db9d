import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The project's directory. */
const root = join(import.meta.dirname, '../..')

/** Longer than the system's grace period for running requests. */
const stopTimeoutMs = 30_000

/** A child process; `ended` resolves to its exit code. */
export interface Started {
  child: ChildProcess
  ended: Promise<number | null>
  /** Everything written to standard output and standard error so far, if piped. */
  output(): { stdout: string; stderr: string }
}

/**
 * Starts a program that `stack` stops at the latest. It gets its own process group, so that a Ctrl-C reaches
 * it once, through us. Its variables are `environment` plus the minimum of every program.
 */
export function start(
  stack: AsyncDisposableStack,
  program: string,
  words: string[],
  environment: Record<string, string>,
  stdio: StdioOptions,
): Started {
  if (stack.disposed) throw new Error('The benchmark is stopping')
  const { HOME = '', PATH = '' } = process.env
  const child = spawn(program, words, {
    cwd: root,
    env: { HOME, PATH, ...environment } as unknown as NodeJS.ProcessEnv,
    stdio,
    detached: true,
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (chunk: Buffer) => {
      output[name] += chunk
    })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve)
  })
  ended.catch(() => {})
  const started = { child, ended, output: () => output }
  stack.defer(() => stop(started))
  return started
}

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

/** Returns the command of `npm run <script>`, to measure with the same flags. */
export function scriptText(script: 'start' | 'worker' | 'operator'): string {
  return scripts[script]!
}

/**
 * Starts a shell command like npm, with the project's programs in its path; it must `exec`, so that signals
 * reach the program.
 */
export function startLine(
  stack: AsyncDisposableStack,
  line: string,
  words: string[],
  environment: Record<string, string>,
  stdio: StdioOptions,
): Started {
  const PATH = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`
  return start(stack, 'sh', ['-c', `${line} "$@"`, 'sh', ...words], { PATH, ...environment }, stdio)
}

/** Ends a program gracefully, or forcibly after a while. */
export async function stop({ child, ended }: Started): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const deadline = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  await ended.catch(() => {})
  clearTimeout(deadline)
}

/** Waits until `ready` is true; fails if the program ends before. */
export async function waitUntil(
  started: Started,
  what: string,
  ready: () => Promise<boolean>,
): Promise<void> {
  let end: string | undefined
  void started.ended.then(
    (code) => {
      end = `${what} ended with ${code}`
    },
    (error: unknown) => {
      end = `${what}: ${String(error)}`
    },
  )
  while (!(await ready().catch(() => false))) {
    if (end !== undefined) throw new Error(`${end}\n${started.output().stdout}${started.output().stderr}`)
    await sleep(20)
  }
}

/** Returns a process's peak resident memory in MB (10^6 bytes); only on Linux. */
export const peakResidentMb = (pid: number) => statusMb(pid, 'VmHWM')

/** Returns the resident memory of a process in MB (10^6 bytes); only on Linux. */
export const residentMb = (pid: number) => statusMb(pid, 'VmRSS')

async function statusMb(pid: number, name: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) * 1024) / 1e6
}
