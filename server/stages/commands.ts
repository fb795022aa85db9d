import { type Command, Option } from 'commander'
import {
  CommandError,
  asCommand,
  command,
  printResult,
  printRows,
  requireValid,
  type Runner,
} from '../runtime/command.ts'
import { mergeStage, removeStage, setStage } from './actions.ts'
import { placeNames } from './place.ts'
import { type Stage, stageKinds } from './stage.ts'
import { readAllStages } from './store.ts'
import { MergeStage, SetStage, toneChoices } from './wire.ts'

type Given = Partial<Record<'kind' | 'place' | 'order' | 'tone', string>> & { json?: boolean }

/** Adds the commands for stages. */
export function addStageCommands(program: Command, runner: Runner): void {
  const stage = program.command('stage').description('stages of deals')

  command(stage, 'list', 'all stages in the order in which they are shown').action(
    ({ json }: { json?: boolean }) =>
      runner.withServices(async ({ db }) =>
        printRows(runner, await readAllStages(db), json, titles, cellsOf),
      ),
  )

  command(stage, 'set <name>', 'change the meaning of a stage')
    .addOption(new Option('--kind <kind>', 'whether its deals are open').choices(stageKinds))
    .addOption(
      new Option('--place <step>', 'what its deals wait for; none: not specified').choices([
        ...placeNames,
        'none',
      ]),
    )
    .option('--order <number>', 'its place among the stages of its kind, the lowest first')
    .addOption(
      new Option('--tone <tone>', 'the color of its badge, auto: that of its phase').choices(toneChoices),
    )
    .action((name: string, { json, order, ...input }: Given) => {
      const change = requireChange({ name, ...input, ...(order !== undefined && { order: Number(order) }) })
      return runner.withServices(async (services) => {
        const changed = await setStage(asCommand(services), change)
        printResult(runner, json, changed, cellsOf(changed).join('\t'))
      })
    })

  command(stage, 'remove <name>', 'remove a stage without deals').action(
    (name: string, { json }: { json?: boolean }) =>
      runner.withServices(async (services) => {
        const removed = await removeStage(asCommand(services), name)
        printResult(runner, json, removed, cellsOf(removed).join('\t'))
      }),
  )

  command(stage, 'merge <name>', 'remove a stage without deals, and read its name as another stage')
    .requiredOption('--into <stage>', 'the other stage')
    .action((name: string, { json, into }: { json?: boolean; into: string }) => {
      const merge = requireValid(MergeStage, { name, into }, optionOf)
      return runner.withServices(async (services) => {
        const target = await mergeStage(asCommand(services), merge)
        printResult(runner, json, target, cellsOf(target).join('\t'))
      })
    })
}

const titles = ['name', 'kind', 'order', 'tone', 'waits for']

const cellsOf = ({ name, kind, order, tone, place }: Stage) => [name, kind, order, tone, place ?? '']

/** Returns the argument or option that set this field of the input. */
const optionOf = (path: PropertyKey[]) => (path[0] === 'name' ? 'the name' : `--${path.join('.')}`)

/** Returns the requested change to a stage. @throws CommandError if it is empty or not valid */
function requireChange(input: object): SetStage {
  const change = requireValid(SetStage, input, optionOf)
  if (Object.keys(change).length === 1) throw new CommandError('give --kind, --place, --order or --tone')
  return change
}
