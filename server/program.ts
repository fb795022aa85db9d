import { Command } from 'commander'
import { addBackupCommands } from './backup-commands.ts'
import { addDealCommands } from './deal-commands.ts'
import { addPartnerCommands } from './partner-commands.ts'
import { addTokenCommands } from './token-commands.ts'
import { addUserCommands } from './user-commands.ts'
import { addWebhookCommands } from './webhook-commands.ts'

/** Returns all commands of the operator, to be parsed once. */
export function makeProgram(): Command {
  const program = new Command('operator')
    .description('Looks after partners, users, tokens, deals and files; the system may be running or stopped.')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
  addPartnerCommands(program)
  addDealCommands(program)
  addTokenCommands(program)
  addUserCommands(program)
  addWebhookCommands(program)
  addBackupCommands(program)
  return program
}
