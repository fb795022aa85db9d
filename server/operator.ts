import { runCommand } from './commands.ts'
import { readCommandConfig, withServices } from './programs/system.ts'
import { makeRunner } from './runtime/command.ts'
import { type Environment, readProcessEnvironment } from './runtime/env-file.ts'
import { readConfig } from './runtime/env.ts'
import { requireInstallation } from './runtime/installation.ts'
import { allowClosedOutput } from './runtime/process.ts'
import { waitForDatabase } from './runtime/wait-for-database.ts'

// Ensures that a command completes its change even if nobody reads the output.
allowClosedOutput()

const { variables, words } = readOrExit()

/** Returns the variables and arguments. On failure, prints the reason and exits the process. */
function readOrExit(): Environment {
  try {
    return readProcessEnvironment()
  } catch (error) {
    process.stderr.write(`operator: ${(error as Error).message}\n`)
    process.exit(1)
  }
}

const runner = makeRunner({
  async withServices(work) {
    const config = readCommandConfig(variables)
    requireInstallation(config, variables, process.cwd(), 'never')
    await waitForDatabase(config, runner.warn)
    return withServices(config, work)
  },
  readConfig() {
    const config = readConfig(variables)
    requireInstallation(config, variables, process.cwd(), 'chosen')
    return config
  },
  input: process.stdin,
  isTerminal: process.stderr.isTTY,
  isOutputTerminal: process.stdout.isTTY,
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  exitWith(code) {
    process.exitCode = code
  },
  beforeSignal(cleanUp) {
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
    const end = () => void cleanUp().finally(() => process.exit(1))
    for (const signal of signals) process.once(signal, end)
    return () => signals.forEach((signal) => process.off(signal, end))
  },
})

await runCommand(runner, words)
