import { utimes } from 'node:fs/promises'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { withTimeout } from '../admission/with-timeout.ts'
import { secondMs } from '../values/units.ts'
import { ConfigurationError } from './env.ts'

// npm forwards the Ctrl-C that the terminal has already sent, within this time.
const forwardedMs = 1000

/** Resolves on SIGINT or SIGTERM. A second signal ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let toldAt: number | null = null
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        // A second signal means that the user does not want to wait.
        if (toldAt !== null && performance.now() - toldAt > forwardedMs) process.exit(1)
        toldAt ??= performance.now()
        resolve()
      })
    }
  })
}

/**
 * Discards output whose reader has left, such as `head`; without this it would end the program with an error.
 * `left` is called once, for programs that only print.
 */
export function allowClosedOutput(left: () => void = () => {}): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      left()
    })
  }
}

/** Runs a program to its end, then exits with 0, or with 1 and a message for the operator. */
export async function runToEnd(program: () => Promise<void>): Promise<never> {
  allowClosedOutput()
  try {
    await program()
  } catch (error) {
    process.stderr.write(
      `${error instanceof ConfigurationError ? `Invalid configuration:\n${error.message}` : explain(error)}\n`,
    )
    return end(1)
  }
  return end(0)
}

/** How long the disk of the compiled code may take for a small change. */
const probeMs = secondMs

/**
 * Ends the process at once. Node would first wait for its threads, which a disk or a silent name server may block for
 * long; another program in its place does not.
 */
async function end(code: 0 | 1): Promise<never> {
  const isBlocked = process.getActiveResourcesInfo().some((name) => /^(?:FSReq|GetAddrInfo)/.test(name))
  if (isBlocked) {
    // As Node does at its end; without it, each start would compile everything again, and keep that in memory.
    if (await withTimeout(canWrite(getCompileCacheDir()), probeMs, () => false)) flushCompileCache()
    process.execve?.('/bin/sh', ['sh', '-c', `exit ${code}`], process.env)
  }
  process.exit(code)
}

/** Returns whether a directory can be changed; does not resolve while its disk is blocked. */
async function canWrite(directory: string | undefined): Promise<boolean> {
  if (directory === undefined) return false
  const now = new Date()
  return utimes(directory, now, now).then(
    () => true,
    () => false,
  )
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'EADDRINUSE' && 'port' in error) {
    return (
      `Port ${String(error.port)} is taken by another program. Stop that, or choose another one: ` +
      'PORT=3001 npm start'
    )
  }
  return 'code' in error || error.cause !== undefined ? (error.stack ?? error.message) : error.message
}
