import { Command, CommanderError } from 'commander'
import { addUserCommands } from './accounts/commands.ts'
import { addBackupCommands } from './backup/commands.ts'
import { addDealCommands } from './files/commands.ts'
import { addImportCommands } from './imports/commands.ts'
import { addJobCommands } from './jobs/commands.ts'
import { addPartnerCommands } from './partners/commands.ts'
import { addDemoCommand } from './programs/demo.ts'
import { describeFailure, type Runner } from './runtime/command.ts'
import { addSourceCommands } from './sources/commands.ts'
import { addStageCommands } from './stages/commands.ts'
import { addTokenCommands } from './tokens/commands.ts'
import { addWebhookCommands } from './webhooks/commands.ts'

/** Returns the operator's commands as a program that can parse only one command line. */
export function makeProgram(runner: Runner): Command {
  const program = new Command('operator')
    .description(
      'Manages partners, users, tokens, deals and files, whether the system is running or stopped.',
    )
    // `runtime/env-file.ts` reads this option before the command line is parsed.
    .option('--env-file <file>', 'file with the variables of the installation (default: .env, if it exists)')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: runner.write, writeErr: runner.writeError })
  addPartnerCommands(program, runner)
  addImportCommands(program, runner)
  addDealCommands(program, runner)
  addSourceCommands(program, runner)
  addStageCommands(program, runner)
  addDemoCommand(program, runner)
  addTokenCommands(program, runner)
  addUserCommands(program, runner)
  addWebhookCommands(program, runner)
  addJobCommands(program, runner)
  addBackupCommands(program, runner)
  return program
}

/** Runs a command line. Prints failures to standard error and sets the exit code. */
export async function runCommand(runner: Runner, words: string[]): Promise<void> {
  try {
    await makeProgram(runner).parseAsync(words, { from: 'user' })
  } catch (error) {
    // Commander has already reported the error.
    if (!(error instanceof CommanderError)) runner.warn(describeFailure(error))
    runner.exitWith(error instanceof CommanderError ? error.exitCode : 1)
  }
}
