import type { Command } from 'commander'
import { CommandError, command, printResult, printRows, requireValid } from '../runtime/command.ts'
import type { Runner } from '../runtime/runner.ts'
import * as actions from './actions.ts'
import { readFileState } from './file-store.ts'
import { propertiesByField, toMapping } from './mapped-fields.ts'
import { SetFiles, SetMapping, SourceSettings } from './mapping.ts'
import { type SourceFlags, contextOf, forSource } from './source-command.ts'

/**
 * Returns the mapping with these changes applied: `field=property` sets a field, and `field=` removes one.
 * @throws CommandError for another form
 */
function changedMapping(id: number, settings: SourceSettings, changes: string[]): SetMapping {
  const properties = propertiesByField(settings)
  for (const change of changes) {
    const at = change.indexOf('=')
    if (at < 1) throw new CommandError(`${JSON.stringify(change)} must look like field=property`)
    properties[change.slice(0, at)] = change.slice(at + 1)
  }
  const { data, error } = SetMapping.safeParse({ id, ...toMapping(properties) })
  if (data === undefined)
    throw new CommandError(`there is no field ${JSON.stringify(error!.issues[0]!.path.at(-1) ?? changes[0])}`)
  return data
}

/** Adds the command that shows and changes the mapping of a source. */
export function addMapping(source: Command, runner: Runner): void {
  command(
    source,
    'mapping <name> [changes...]',
    'show which property each field comes from; with changes such as amount=total_price (amount= for none, partner= for the partner), try them on all records and show what they would change',
  )
    .option('--apply', 'apply the changes: all deals are read again')
    .option('--no-events', 'send no webhooks for the resulting changes')
    .action(
      (
        name: string,
        changes: string[],
        { json, apply, events }: SourceFlags & { apply?: boolean; events: boolean },
      ) =>
        forSource(runner, name, async (services, { id, settings: stored }) => {
          const settings = SourceSettings.parse(JSON.parse(stored))
          if (changes.length === 0) {
            printMapping(runner, settings, json)
            return
          }
          const changed = changedMapping(id, settings, changes)
          if (apply === true) {
            await actions.setMapping(contextOf(services), { ...changed, events })
            printResult(runner, json, changed, name)
            return
          }
          printPreview(runner, await actions.previewMapping(contextOf(services), changed), json)
        }),
    )
}

function printMapping(runner: Runner, { mapping, partnerProperty }: SourceSettings, json?: boolean): void {
  const rows = Object.entries({ partner: partnerProperty, ...mapping })
  printRows(
    runner,
    rows.map(([field, property]) => ({ field, property })),
    json,
    ['field', 'property'],
    ({ field, property }) => [field, property],
  )
}

type Preview = Awaited<ReturnType<typeof actions.previewMapping>>

function printPreview(runner: Runner, preview: Preview, json?: boolean): void {
  const { updated, read, rejected, unreadable, fields, rejects } = preview
  const lines = [
    `${updated} of ${read} deals change, ${rejected} rejected, ${unreadable} with unreadable values`,
    ...fields.map(({ field, count }) => `${field} ${count}`),
    ...rejects.map(({ id, reason }) => `${id} ${reason}`),
  ]
  printResult(runner, json, preview, lines.join('\n'))
}

/** Prints the effects of connecting a source. */
export function printLook(runner: Runner, look: Preview, json?: boolean): void {
  const { read, created, updated, unchanged, rejected, unreadable } = look
  const lines = [
    `${read} deals: ${created} new, ${updated} change, ${unchanged} stay, ${rejected} rejected, ${unreadable} with unreadable values`,
    ...look.filled.map(({ field, property, count }) => `field ${field} (${property}): ${count} filled`),
    ...look.stages.map(({ name, deals, added }) => `stage ${name}: ${deals}${added ? placeText(added) : ''}`),
    ...look.values.map(({ value, deals }) => `partner ${value || '(blank)'}: ${deals}`),
    ...look.fields.map(({ field, count }) => `changes ${field}: ${count}`),
    ...look.rejects.map(
      ({ id, reason, isWritten }) => `${isWritten ? 'unreadable' : 'rejects'} ${id}: ${reason}`,
    ),
  ]
  printResult(runner, json, look, lines.join('\n'))
}

function placeText({ after, likely }: NonNullable<Preview['stages'][number]['added']>): string {
  const place = after == null ? '' : ` after ${after}`
  return `, new${place}${likely.length === 0 ? '' : `, like ${likely.join(', ')}`}`
}

type FileFlags = Partial<Record<'notes' | 'copy' | 'off', boolean>>

/** Adds the command that shows and sets which files of a source are followed. */
export function addFiles(source: Command, runner: Runner): void {
  command(
    source,
    'files <name>',
    'show files that could not be read; with options, set which ones are followed',
  )
    .option('--properties <names>', 'the properties that hold ids of files, separated by commas')
    .option('--notes', 'the attachments of notes about a deal')
    .option('--copy', "copy the files instead of passing on HubSpot's own URLs")
    .option('--off', 'stop following files, and remove those followed so far')
    .action(
      (
        name: string,
        { json, properties, notes = false, copy, off }: SourceFlags & { properties?: string } & FileFlags,
      ) =>
        forSource(runner, name, async (services, { id }) => {
          if (properties === undefined && !notes && off !== true) {
            const { problems } = await readFileState(services.db, id, 1000)
            printRows(
              runner,
              problems.map((row) => ({ ...row, dealId: String(row.dealId) })),
              json,
              ['file', 'deal', 'problem'],
              (row) => [row.fileId, row.dealId, row.problem],
            )
            return
          }
          const names = properties?.split(',').map((each) => each.trim()) ?? []
          const files =
            off === true ? null : { properties: names, notes, mode: copy === true ? 'copy' : 'link' }
          const given = requireValid(SetFiles, { id, files }, () => 'the properties')
          await actions.setFiles(contextOf(services), given)
          printResult(runner, json, given, name)
        }),
    )
}
