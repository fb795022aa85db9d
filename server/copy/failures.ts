export const exitCodes = { ok: 0, failed: 1, usage: 2, taken: 3, differs: 4 } as const

/** An expected failure with an exit code; the message is shown to the user. */
export class Failure extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Returns the failure for a copy that another run is writing to. */
export const takenBy = (run: string) => new Failure(`another run has this copy: ${run}`, exitCodes.taken)

export const usage = (message: string) => new Failure(message, exitCodes.usage)

/** Returns the message of an error, followed by the messages of the errors that it aggregates. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map(messageOf).join('; ')
  if (!(error instanceof Error)) return String(error)
  return error.message || ('code' in error ? String(error.code) : 'failed')
}
