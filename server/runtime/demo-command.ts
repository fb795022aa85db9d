import type { Command } from 'commander'
import { note } from '../access/audited.ts'
import { stringifyJson } from '../protocol/int64.ts'
import { asCommand, command } from './command.ts'
import { loadDemo } from './demo.ts'
import type { Runner } from './runner.ts'

/** Adds the command that loads the demonstration data. */
export function addDemoCommand(program: Command, runner: Runner): void {
  command(program, 'demo', 'load the demonstration data').action(({ json }: { json?: boolean }) =>
    runner.withServices(async (services) => {
      const access = await loadDemo(services)
      await note(asCommand(services), { action: 'demo.loaded' })
      runner.print(
        json === true
          ? stringifyJson(access)
          : [
              'Loaded. Portal:',
              ...access.accounts.map(({ role, email, password }) => `${role} ${email} ${password}`),
              `API token: ${access.token}`,
            ].join('\n'),
      )
    }),
  )
}
