import type { Command } from 'commander'
import { command, requireFile, requirePartner } from '../runtime/command.ts'
import type { Runner } from '../runtime/runner.ts'
import { importFile } from './import-command.ts'

/** Adds the command that imports deals. */
export function addImportCommands(program: Command, runner: Runner): void {
  command(program, 'import <file>', 'import deals from XLSX, CSV or NDJSON; - reads standard input')
    .option('--partner <slug>', 'partner of all deals; otherwise each record names its own')
    .option('--dry-run', 'report what would happen without changing anything')
    .option('--no-events', 'record no events, for the first load of a partner')
    .action(
      (file: string, options: { partner?: string; dryRun?: boolean; events: boolean; json?: boolean }) =>
        runner.withServices(async (services) => {
          const owner =
            options.partner === undefined ? undefined : await requirePartner(services, options.partner)
          if (file !== '-') await requireFile(file)
          const rejected = await importFile(runner, services, file, {
            ...options,
            partner: owner,
            dryRun: options.dryRun === true,
            json: options.json === true,
          })
          if (rejected > 0) runner.exitWith(1)
        }),
    )
}
