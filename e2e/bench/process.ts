import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const root = join(import.meta.dirname, '../..')

/** Longer than the system's grace period for open requests. */
const stopTimeoutMs = 30_000

/** A child process. `ended` resolves to the exit code. */
export interface Started {
  child: ChildProcess
  ended: Promise<number | null>
  /** Returns everything written to standard output and standard error so far, if both are piped. */
  output(): { stdout: string; stderr: string }
}

/**
 * Starts a program that `stack` stops on disposal. The program gets its own process group, so that Ctrl-C
 * only reaches the benchmark, and inherits only the variables HOME and PATH.
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
  const env = { HOME, PATH, ...environment } as unknown as NodeJS.ProcessEnv
  const child = spawn(program, words, { cwd: root, env, stdio, detached: true })
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
  scripts: Record<'start' | 'worker' | 'operator', string>
}

/**
 * Starts a script from package.json like npm does, with the same flags. `program` replaces the script's
 * program. The script must use `exec`, so that signals reach the program.
 */
export function startScript(
  stack: AsyncDisposableStack,
  script: keyof typeof scripts,
  environment: Record<string, string>,
  words: string[] = [],
  program = '$&',
): Started {
  const PATH = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`
  const line = `${scripts[script].replace(/server\/\w+\.ts/, program)} "$@"`
  // The log of a server is written as in production, but nobody reads it.
  const stdout = script === 'operator' ? 'pipe' : 'ignore'
  const stdio: StdioOptions = ['ignore', stdout, 'pipe']
  return start(stack, 'sh', ['-c', line, 'sh', ...words], { PATH, ...environment }, stdio)
}

/** Stops a program gracefully, or kills it after a timeout. */
export async function stop({ child, ended }: Started): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const deadline = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  await ended.catch(() => {})
  clearTimeout(deadline)
}

/** Waits until `ready` returns true. Fails if the program ends first. */
export async function waitUntil(
  { ended, output }: Started,
  what: string,
  ready: () => Promise<boolean>,
): Promise<void> {
  let end: string | undefined
  void ended.catch(String).then((code) => {
    end = `${what} ended with ${code}`
  })
  while (!(await ready().catch(() => false))) {
    if (end !== undefined) throw new Error(`${end}\n${output().stdout}${output().stderr}`)
    await sleep(20)
  }
}

/** Returns a process's peak resident memory in MB (10^6 bytes). Only works on Linux. */
export const peakResidentMb = (pid: number) => statusMb(pid, 'VmHWM')

/** Returns a process's resident memory in MB (10^6 bytes). Only works on Linux. */
export const residentMb = (pid: number) => statusMb(pid, 'VmRSS')

async function statusMb(pid: number, name: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) * 1024) / 1e6
}
