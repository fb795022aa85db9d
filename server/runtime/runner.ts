import type { Config } from './env.ts'
import type { Services } from './services.ts'

/** The input, output and services of a command. */
export interface Runner {
  /** Opens the services, runs the work and closes them; the system may be running or stopped. */
  withServices<T>(work: (services: Services) => Promise<T>): Promise<T>
  /** Returns the configuration without the secrets from the data directory. */
  readConfig(): Config
  input: NodeJS.ReadableStream
  /** Whether standard error is a terminal, which shows progress. */
  isTerminal: boolean
  /** Whether standard output is a terminal, where lists have titles. */
  isOutputTerminal: boolean
  write(text: string): void
  writeError(text: string): void
  /** Prints a line on standard output. */
  print(line: string): void
  /** Prints a warning on standard error. */
  warn(message: string): void
  /** Sets the exit code, 0 by default. */
  exitWith(code: number): void
  /** Calls `cleanUp` when a signal is about to end the process. Returns a function that unregisters it. */
  beforeSignal(cleanUp: () => Promise<void>): () => void
}

/** Returns a runner that prints and warns through these writers. */
export function makeRunner(base: Omit<Runner, 'print' | 'warn'>): Runner {
  return {
    ...base,
    print: (line) => base.write(`${line}\n`),
    warn: (message) => base.writeError(`operator: ${message}\n`),
  }
}
