import type { Command } from 'commander'
import {
  CommandError,
  asCommand,
  command,
  printResult,
  printRows,
  requireCount,
  type Runner,
} from '../runtime/command.ts'
import { discardJobs, retryJobs } from './actions.ts'
import { type JobKind, jobKindNames } from './kinds.ts'
import { listFailedJobs } from './store.ts'

const listMax = 10_000

/** Adds the job commands. */
export function addJobCommands(program: Command, runner: Runner): void {
  const jobs = program.command('jobs').description('background jobs that have failed')

  command(jobs, 'list', 'failed jobs, dead ones first')
    .option('--kind <kind>', 'only this kind')
    .option('--limit <count>', 'how many', '100')
    .action(({ kind, limit, json }: { kind?: string; limit: string; json?: boolean }) => {
      const count = requireCount(limit, '--limit', listMax)
      return runner.withServices(async ({ db }) =>
        printRows(
          runner,
          await listFailedJobs(db, { kind: kindOf(kind), limit: count }),
          json,
          ['id', 'kind', 'state', 'attempts', 'created', 'next', 'problem'],
          ({ id, kind: own, state, attempts, createdAt, nextAt, problem }) => [
            id,
            own,
            state,
            attempts,
            createdAt.toISOString(),
            nextAt?.toISOString() ?? null,
            problem,
          ],
        ),
      )
    })

  for (const [verb, description, change, done] of [
    ['retry', 'try failed jobs again now', retryJobs, 'retried'],
    ['discard', 'delete failed jobs', discardJobs, 'discarded'],
  ] as const)
    command(jobs, `${verb} [ids...]`, description)
      .option('--kind <kind>', 'all of this kind')
      .action((ids: string[], { kind, json }: { kind?: string; json?: boolean }) =>
        runner.withServices(async (services) => {
          const count = await change(asCommand(services), await chosen(services, ids, kind))
          printResult(runner, json, { [done]: count }, `${count} ${done}`)
        }),
      )
}

/** Returns the kind with this name, or null for all kinds. @throws CommandError */
function kindOf(name: string | undefined): JobKind | null {
  const kind = jobKindNames.find((known) => known === name)
  if (name !== undefined && kind === undefined)
    throw new CommandError(`there is no kind ${JSON.stringify(name)}; there are ${jobKindNames.join(', ')}`)
  return kind ?? null
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns the ids of the chosen jobs. @throws CommandError */
async function chosen(
  { db }: Parameters<typeof asCommand>[0],
  ids: readonly string[],
  kind: string | undefined,
): Promise<readonly string[]> {
  const wrong = ids.find((id) => !uuid.test(id))
  if (wrong !== undefined)
    throw new CommandError(`${JSON.stringify(wrong)} is not the ID of a job; "jobs list" shows all`)
  if (ids.length > 0 === (kind !== undefined)) throw new CommandError('give either the IDs of jobs or --kind')
  if (kind === undefined) return ids
  return (await listFailedJobs(db, { kind: kindOf(kind), limit: listMax })).map(({ id }) => id)
}
