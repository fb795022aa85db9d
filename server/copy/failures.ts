/** Exit codes. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, anotherRuns: 3, differs: 4 } as const

/** An expected failure: what a person should read, and the exit code. */
export class Failure extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Another program has taken over the copy, or has it. */
export const anotherRuns = (holder: string) =>
  new Failure(`another run has this copy: ${holder}`, exitCodes.anotherRuns)

export const usage = (message: string) => new Failure(message, exitCodes.usage)

/** Returns the message of any error, with those that it bundles. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map(messageOf).join('; ')
  if (!(error instanceof Error)) return String(error)
  return error.message || ('code' in error ? String(error.code) : 'failed')
}
