import { utimes } from 'node:fs/promises'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { withTimeout } from '../admission/scheduling.ts'
import { secondMs } from '../values/units.ts'
import { ConfigurationError } from './env.ts'

// Time within which npm forwards a Ctrl-C that the terminal has already sent to the process.
const forwardedMs = 1000

/** Resolves on SIGINT or SIGTERM. A second signal ends the process immediately. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | null = null
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (firstAt !== null && performance.now() - firstAt > forwardedMs) process.exit(1)
        firstAt ??= performance.now()
        resolve()
      })
    }
  })
}

/**
 * Ignores output errors after the reader of the output, such as `head`, has exited. Programs that only print
 * can exit in `left`.
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

/**
 * Ends the process immediately. Node would wait for its threads, which a slow disk or a silent name server
 * may block. Replacing the process with another program avoids this.
 */
async function end(code: 0 | 1): Promise<never> {
  const isBlocked = process.getActiveResourcesInfo().some((name) => /^(?:FSReq|GetAddrInfo)/.test(name))
  if (isBlocked) {
    // Node writes the compile cache when it exits. If the cache were not written, the next start would
    // compile everything again.
    if (await withTimeout(canWrite(getCompileCacheDir()), secondMs, () => false)) flushCompileCache()
    process.execve?.('/bin/sh', ['sh', '-c', `exit ${code}`], process.env)
  }
  process.exit(code)
}

/** Returns true if a directory is writable. Does not resolve while its disk is blocked. */
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
      `Port ${String(error.port)} is in use. Stop the other program, or choose another port: ` +
      'PORT=3001 npm start'
    )
  }
  return 'code' in error || error.cause !== undefined ? (error.stack ?? error.message) : error.message
}
