import { runCommand } from './commands.ts'
import { readConfig } from './runtime/env.ts'
import { allowClosedOutput } from './runtime/process.ts'
import { makeRunner } from './runtime/runner.ts'
import { readCommandConfig, withServices } from './runtime/system.ts'

// A change is completed even if nobody reads its report.
allowClosedOutput()

const runner = makeRunner({
  withServices: (work) => withServices(readCommandConfig(process.env), work),
  readConfig: () => readConfig(process.env),
  input: process.stdin,
  isTerminal: process.stderr.isTTY,
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

await runCommand(runner, process.argv.slice(2))
