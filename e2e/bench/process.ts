import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The project. */
const root = join(import.meta.dirname, '../..')

/** Longer than the system lets its last requests take. */
const stopPatienceMs = 30_000

/** A child process; whoever waits for `ended` gets its exit code. */
export interface Started {
  child: ChildProcess
  ended: Promise<number | null>
  /** All that it wrote to standard output and standard error so far, as far as these are piped. */
  output(): { stdout: string; stderr: string }
}

/**
 * Starts a program that `stack` stops at the latest. In a process group of its own: a Ctrl-C reaches it through us, once.
 * `environment` is all that it is given beside the least a program needs.
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

/** Returns what `npm run <script>` would run, so that it is measured with the same flags. */
export function scriptText(script: 'start' | 'worker' | 'operator'): string {
  return scripts[script]!
}

/** Starts a line of shell as npm would, with the project's programs at hand; it has to `exec`, for a signal to reach what it runs. */
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

/** Ends a program in good order, or after a while in any. */
export async function stop({ child, ended }: Started): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const patience = setTimeout(() => child.kill('SIGKILL'), stopPatienceMs)
  await ended.catch(() => {})
  clearTimeout(patience)
}

/** Waits until `ready` is true; fails when the program ends before. */
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

/** Returns the most resident memory that a process has had, in MB (10^6 bytes); only Linux says it. */
export async function peakResidentMb(pid: number): Promise<number> {
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))![1]
  return (Number(kibibytes) * 1024) / 1e6
}

/** Returns the resident memory of a process in MB (10^6 bytes). */
export async function residentMb(pid: number): Promise<number> {
  const kibibytes =
    /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))?.[1] ??
    (await outputOf('ps', ['-o', 'rss=', '-p', String(pid)]))
  return (Number(kibibytes) * 1024) / 1e6
}

async function outputOf(program: string, words: string[]): Promise<string> {
  await using stack = new AsyncDisposableStack()
  const started = start(stack, program, words, {}, ['ignore', 'pipe', 'inherit'])
  await started.ended
  return started.output().stdout
}
