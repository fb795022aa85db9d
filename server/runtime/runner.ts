import type { Config } from './env.ts'
import type { Services } from './services.ts'

/** The input, output and services of a command. */
export interface Runner {
  /** Opens the services, runs the work and closes the services. The system may be running or stopped. */
  withServices<T>(work: (services: Services) => Promise<T>): Promise<T>
  /** Returns the configuration without the secrets in the data directory. */
  readConfig(): Config
  input: NodeJS.ReadableStream
  /** True if standard error is a terminal, where commands show progress. */
  isTerminal: boolean
  /** True if standard output is a terminal, where lists have titles. */
  isOutputTerminal: boolean
  write(text: string): void
  writeError(text: string): void
  print(line: string): void
  warn(message: string): void
  /** Sets the exit code, which is 0 by default. */
  exitWith(code: number): void
  /** Calls `cleanUp` before a signal ends the process. Returns a function that unregisters `cleanUp`. */
  beforeSignal(cleanUp: () => Promise<void>): () => void
}

/** Adds `print` and `warn` to a runner. */
export function makeRunner(base: Omit<Runner, 'print' | 'warn'>): Runner {
  return {
    ...base,
    print: (line) => base.write(`${line}\n`),
    warn: (message) => base.writeError(`operator: ${message}\n`),
  }
}
