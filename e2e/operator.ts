import { Readable } from 'node:stream'
import { runCommand } from '#server/commands.ts'
import { makeRunner } from '#server/runtime/command.ts'
import type { Services } from '#server/runtime/services.ts'
import type { CommandResult } from './system.ts'

/** Runs an operator command in this process with open services. `input` is the command's standard input. */
export async function runOperator(
  services: Services,
  words: string[],
  {
    input = '',
    isTerminal = false,
    isOutputTerminal = false,
  }: { input?: string; isTerminal?: boolean; isOutputTerminal?: boolean } = {},
): Promise<CommandResult> {
  const result = { code: 0, stdout: '', stderr: '' }
  const runner = makeRunner({
    withServices: (work) => work(services),
    readConfig: () => services.config,
    input: Readable.from([input]),
    isTerminal,
    isOutputTerminal,
    write(text) {
      result.stdout += text
    },
    writeError(text) {
      result.stderr += text
    },
    exitWith(code) {
      result.code = code
    },
    beforeSignal: () => () => {},
  })
  await runCommand(runner, words)
  return result
}

/** Returns the result of a command that printed exactly this. */
export const printed = (stdout: unknown) => ({ code: 0, stdout, stderr: '' })

/** Returns the result of a command that failed for this reason. */
export const refused = (reason: string): CommandResult => ({
  code: 1,
  stdout: '',
  stderr: `operator: ${reason}\n`,
})
