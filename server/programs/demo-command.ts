import type { Command } from 'commander'
import { note } from '../access/audited.ts'
import { asCommand, command, printResult } from '../runtime/command.ts'
import type { Runner } from '../runtime/runner.ts'
import { accountText, loadDemo } from './demo.ts'

/** Adds the command that loads the demo data. */
export function addDemoCommand(program: Command, runner: Runner): void {
  command(program, 'demo', 'load the demonstration data').action(({ json }: { json?: boolean }) =>
    runner.withServices(async (services) => {
      const access = await loadDemo(services)
      await note(asCommand(services), { action: 'demo.loaded' })
      printResult(
        runner,
        json,
        access,
        ['Loaded. Portal:', ...access.accounts.map(accountText), `API token: ${access.token}`].join('\n'),
      )
    }),
  )
}
