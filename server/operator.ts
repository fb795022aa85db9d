import { CommanderError } from 'commander'
import { makeProgram } from './commands.ts'
import { describeFailure } from './runtime/command.ts'

try {
  await makeProgram().parseAsync()
} catch (error) {
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1
  // Commander has said already what is wrong with the words of a command.
  if (!(error instanceof CommanderError)) process.stderr.write(`operator: ${describeFailure(error)}\n`)
}
