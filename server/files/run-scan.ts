import { type ChildProcess, spawn } from 'node:child_process'
import { pipeline } from 'node:stream/promises'
import type { Caller } from '../admission/admission.ts'
import { oneInProcess, Slots } from '../admission/slots.ts'
import { ApiError } from '../errors.ts'
import { formatSpan, secondMs } from '../values/units.ts'

const scanMaxMs = 120 * secondMs

const waitMaxMs = 30 * secondMs

/** Maximum wait for remaining output after the command has exited. */
const outputMaxMs = secondMs

const stderrMaxBytes = 1000

/**
 * Maximum number of concurrent scans. Without its daemon, ClamAV loads a gigabyte of signatures for every
 * scan.
 */
export const scanLimits = {
  atOnce: 3,
  perGroup: 2,
  perMember: 1,
  longAtOnce: 3,
  longPerGroup: 2,
  waitingPerMember: 10,
  waitingInAll: 100,
}

const scans = oneInProcess('scans', () => new Slots(scanLimits))

interface Scan {
  /** The configured command, which reads the content from standard input, such as `clamdscan -`. */
  command: string
  /** Opens the content; called when the scan starts. */
  content: () => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>
  /** The caller whose slot the scan occupies. */
  caller: Caller
  /** Aborts the scan. */
  signal?: AbortSignal
  maxMs?: number
  log: { warn(fields: object, message: string): void }
}

/**
 * Runs the scan command in a slot of the caller. Returns true if the command accepts the content (exit code
 * 0), or false if the command rejects it (exit code 1).
 * @throws ApiError 503 if the command fails or too many run, because unscanned content is not accepted
 */
export async function runScan(scan: Scan): Promise<boolean> {
  const { caller, signal } = scan
  signal?.throwIfAborted()
  return scans.run(caller, () => scanNow(scan), { refusal: busy, waitMaxMs, ...(signal && { signal }) })
}

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  /** The reason why the command could not be started. */
  error?: NodeJS.ErrnoException
}

async function scanNow({ command, content, signal, maxMs = scanMaxMs, log }: Scan): Promise<boolean> {
  // The shell gets its own process group, so that killing the group also ends its children.
  const child: ChildProcess = spawn(command, {
    shell: true,
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const kill = () => killGroup(child)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    kill()
  }, maxMs)
  signal?.addEventListener('abort', kill)
  process.once('exit', kill)
  let failure: unknown = null
  const reading = async function* (): AsyncIterable<Uint8Array> {
    try {
      yield* await content()
    } catch (error) {
      failure = error
      kill()
      throw error
    }
  }
  try {
    const ended = endOf(child, () => {
      clearTimeout(timer)
      kill()
    })
    const feeding = async () => pipeline(reading(), child.stdin!)
    // Ignores write errors: the scanner may reach a verdict before it has read the whole file, and close its stdin.
    feeding().catch(() => {})
    const stderr = tailOf(child)
    const end = await ended
    if (failure !== null) throw failure
    signal?.throwIfAborted()
    if (!isLate && (end.code === 0 || end.code === 1)) return end.code === 0
    log.warn(
      { problem: isLate ? `it took longer than ${formatSpan(maxMs)}` : causeOf(end), stderr: stderr() },
      'virus scan failed',
    )
    throw broken()
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', kill)
    process.off('exit', kill)
  }
}

/** Resolves to the outcome of the command when all output has arrived. Calls `onExit` before that. */
function endOf(child: ChildProcess, onExit: () => void): Promise<Ended> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }))
    child.once('exit', () => {
      onExit()
      // A program that has left the process group may keep standard error open.
      setTimeout(() => child.stderr?.destroy(), outputMaxMs).unref()
    })
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The command has already exited.
  }
}

/** Collects the last bytes of the command's standard error. Returns a function that returns these as text. */
function tailOf({ stderr }: ChildProcess): () => string {
  let tail = Buffer.alloc(0)
  stderr?.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-stderrMaxBytes)
  })
  return () => tail.toString().trim()
}

function causeOf({ code, signal, error }: Ended): string {
  if (error !== undefined) return `the shell cannot be started (${error.code ?? error.message})`
  if (signal !== null) return `it was killed by ${signal}`
  if (code === 127) return 'the command was not found (exit code 127)'
  return code === 126 ? 'the command cannot be executed (exit code 126)' : `exit code ${code}`
}

const broken = () =>
  new ApiError('SERVICE_UNAVAILABLE', 'The virus scanner does not work at the moment; try again later', {
    headers: { 'Retry-After': '30' },
  })

const busy = () =>
  new ApiError('SERVICE_UNAVAILABLE', 'Many files are waiting for the virus scanner; try again shortly', {
    headers: { 'Retry-After': '10' },
  })
