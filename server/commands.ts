import { Command } from 'commander'
import { addUserCommands } from './accounts/commands.ts'
import { addBackupCommands } from './backup/commands.ts'
import { addDealCommands } from './files/commands.ts'
import { addImportCommands } from './imports/commands.ts'
import { addPartnerCommands } from './partners/commands.ts'
import { addDemoCommand } from './runtime/demo-command.ts'
import { addTokenCommands } from './tokens/commands.ts'
import { addWebhookCommands } from './webhooks/commands.ts'

/** Returns all commands of the operator, to be parsed once. */
export function makeProgram(): Command {
  const program = new Command('operator')
    .description(
      'Looks after partners, users, tokens, deals and files; the system may be running or stopped.',
    )
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
  addPartnerCommands(program)
  addImportCommands(program)
  addDealCommands(program)
  addDemoCommand(program)
  addTokenCommands(program)
  addUserCommands(program)
  addWebhookCommands(program)
  addBackupCommands(program)
  return program
}
