import { text as readText } from 'node:stream/consumers'
import type { Command } from 'commander'
import {
  CommandError,
  asCommand,
  command,
  printResult,
  printRows,
  requireValid,
  requireCount,
  requirePartner,
  type Runner,
} from '../runtime/command.ts'
import type { Services } from '../runtime/services.ts'
import { formatSpan, secondMs } from '../values/units.ts'
import { utc } from '../values/zone.ts'
import * as actions from './actions.ts'
import { readFileState } from './file-store.ts'
import { hintPathOf } from './hubspot-webhook.ts'
import { propertiesByField, toMapping } from './mapped-fields.ts'
import { SetFiles, SetMapping, SourceSettings, ConnectSql, SetZone } from './mapping.ts'
import { pollS as pollLimits } from './policy.ts'
import { sourceStateOf } from './source-state.ts'
import { type StoredSource, readSources, readRejects, readUnknownPartners } from './store.ts'
import { ConnectSource, SetSigningSecret } from './wire.ts'

/** Adds the commands for sources. */
export function addSourceCommands(program: Command, runner: Runner): void {
  const source = program.command('source').description('systems that deals come from')
  addConnect(source, runner)
  addConnectSql(source, runner)
  addList(source, runner)
  addWaiting(source, runner)
  addVerb(source, runner, 'pause', 'stop reading', actions.pauseSource)
  addVerb(source, runner, 'resume', 'resume reading', actions.resumeSource)
  addVerb(source, runner, 'refresh', 'read now', actions.refreshSource)
  addVerb(source, runner, 'compare', 'compare all deals with the source now', actions.compareSource)
  addVerb(source, runner, 'disconnect', 'forget the source; its deals stay', actions.disconnectSource)
  addSettings(source, runner)
  addMapping(source, runner)
  addFiles(source, runner)
}

function addConnect(source: Command, runner: Runner): void {
  command(
    source,
    'connect <name>',
    'connect HubSpot; the access token of a private app is read from standard input',
  )
    .option('--dry-run', 'read everything and show what connecting it would bring, without writing anything')
    .action((name: string, { json, dryRun }: SourceFlags & { dryRun?: boolean }) =>
      runner.withServices(async (services) => {
        const input = { kind: 'hubspot', name, secret: (await readText(runner.input)).trim() }
        const connection = requireValid(
          ConnectSource,
          input,
          ([name]) => `the ${name === 'secret' ? 'token' : 'name'}`,
        )
        await connect(runner, services, connection, { json, dryRun })
      }),
    )
}

async function connect(
  runner: Runner,
  services: Services,
  connection: ConnectSource | ConnectSql,
  { json, dryRun }: SourceFlags & { dryRun?: boolean | undefined },
): Promise<void> {
  const { name } = connection
  if (dryRun === true) {
    printLook(runner, await actions.previewSource(contextOf(services), connection), json)
    return
  }
  const id = await actions.connectSource(contextOf(services), connection)
  printResult(runner, json, { id, name }, name)
}

type SqlFlags = { query: string; zone: string; dryRun?: boolean }

function addConnectSql(source: Command, runner: Runner): void {
  command(
    source,
    'connect-sql <name>',
    'connect a query on another PostgreSQL; the URL of the database is read from standard input',
  )
    .requiredOption('--query <sql>', 'returns id, last_modified and a column for each property')
    .option('--zone <zone>', 'the time zone of timestamps without one, such as America/Phoenix', utc)
    .option('--dry-run', 'read everything and show what connecting it would bring, without writing anything')
    .action((name: string, { json, dryRun, ...more }: SourceFlags & SqlFlags) =>
      runner.withServices(async (services) => {
        const input = { kind: 'sql', name, secret: (await readText(runner.input)).trim(), ...more }
        const connection = requireValid(
          ConnectSql,
          input,
          ([field]) => `the ${field === 'secret' ? 'URL' : String(field)}`,
        )
        await connect(runner, services, connection, { json, dryRun })
      }),
    )
}

function addList(source: Command, runner: Runner): void {
  command(source, 'list', 'sources and how current they are').action(({ json }: SourceFlags) =>
    runner.withServices(async ({ db }) => {
      const rows = (await readSources(db)).map((source) => ({
        id: source.id,
        name: source.name,
        kind: source.kind,
        ...sourceStateOf(source, Date.now()),
        asOf: source.asOf,
        problem: source.problem,
        read: source.windowRead,
        total: source.windowTotal,
        created: source.created,
        updated: source.updated,
        removed: source.removed,
        removalsWaiting: source.removalsWaiting,
        missingProperties: source.missingProperties,
      }))
      printRows(
        runner,
        rows,
        json,
        ['name', 'kind', 'state', 'behind', 'problem'],
        ({ name, kind, state, lagMs, problem, missingProperties }) => [
          name,
          kind,
          state,
          lagMs === null ? null : formatSpan(Math.round(lagMs / secondMs) * secondMs),
          problem ?? missingText(missingProperties),
        ],
      )
    }),
  )
}

const missingText = (names: readonly string[]) =>
  names.length === 0 ? null : `These properties are gone in the source: ${names.join(', ')}.`

function addWaiting(source: Command, runner: Runner): void {
  command(
    source,
    'rejected <name>',
    'records that could not be written, or only without unreadable values',
  ).action((name: string, { json }: SourceFlags) =>
    forSource(runner, name, async ({ db }, { id }) =>
      printRows(runner, await readRejects(db, id, 1000), json, ['deal', 'name', 'problem'], (row) => [
        row.id,
        row.name,
        row.isWritten ? row.reason : `rejected: ${row.reason}`,
      ]),
    ),
  )
  command(source, 'unknown <name>', 'values not assigned to a partner').action(
    (name: string, { json }: SourceFlags) =>
      forSource(runner, name, async ({ db }, { id }) =>
        printRows(
          runner,
          await readUnknownPartners(db, id, 1000),
          json,
          ['value', 'deals'],
          ({ value, deals }) => [value || '(blank)', deals],
        ),
      ),
  )
}

function addVerb(
  source: Command,
  runner: Runner,
  verb: string,
  description: string,
  work: (context: ReturnType<typeof asCommand>, id: number) => Promise<void>,
): void {
  command(source, `${verb} <name>`, description).action((name: string, { json }: SourceFlags) =>
    forSource(runner, name, async (services, { id }) => {
      await work(asCommand(services), id)
      printResult(runner, json, { id, name }, name)
    }),
  )
}

function addSettings(source: Command, runner: Runner): void {
  command(source, 'assign <name> <value>', 'assign a value of the partner property to a partner')
    .option('--partner <slug>', 'the partner; none without it')
    .option('--no-events', 'send no webhooks for deals that move to the partner')
    .action(
      (
        name: string,
        value: string,
        { json, partner, events }: SourceFlags & { partner?: string; events: boolean },
      ) =>
        forSource(runner, name, async (services, { id }) => {
          const partnerId = partner === undefined ? null : (await requirePartner(services, partner)).id
          const input = { id, value, partner: partner ?? null, events }
          await actions.assignPartner(asCommand(services), input, partnerId)
          printResult(runner, json, input, `${value} ${partner ?? '-'}`)
        }),
    )
  command(
    source,
    'signing-secret <name>',
    'set the client secret that HubSpot signs webhooks with, which is read from standard input; empty: accept none',
  ).action((name: string, { json }: SourceFlags) =>
    forSource(runner, name, async (services, { id }) => {
      const typed = (await readText(runner.input)).trim() || null
      const { secret } = requireValid(SetSigningSecret, { id, secret: typed }, () => 'the secret')
      await actions.setSigningSecret(contextOf(services), id, secret)
      const url = `${services.config.publicUrl}${hintPathOf(id)}`
      printResult(runner, json, { id, name, url }, url)
    }),
  )
  command(
    source,
    'zone <name> <zone>',
    'set the time zone of times without one: all deals are read again',
  ).action((name: string, zone: string, { json }: SourceFlags) =>
    forSource(runner, name, async (services, { id }) => {
      const input = requireValid(SetZone, { id, zone }, () => 'the zone')
      await actions.setZone(asCommand(services), input)
      printResult(runner, json, input, `${name} ${zone}`)
    }),
  )
  command(source, 'poll <name> <seconds>', 'set how often changes are read').action(
    (name: string, seconds: string, { json }: SourceFlags) =>
      forSource(runner, name, async (services, { id }) => {
        const pollS = requireCount(seconds, 'the interval', pollLimits.max, pollLimits.min)
        await actions.setPoll(asCommand(services), id, pollS)
        printResult(runner, json, { id, name, pollS }, `${name} ${pollS}`)
      }),
  )
  command(source, 'approve-removals <name>', 'remove the deals that are gone in the source').action(
    (name: string, { json }: SourceFlags) =>
      forSource(runner, name, async (services, { id, removalsWaiting }) => {
        if (removalsWaiting === 0) throw new CommandError('no removals wait')
        await actions.approveRemovals(asCommand(services), id, removalsWaiting)
        printResult(runner, json, { id, name, removalsWaiting }, String(removalsWaiting))
      }),
  )
}

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

function addMapping(source: Command, runner: Runner): void {
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

function printLook(runner: Runner, look: Preview, json?: boolean): void {
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

function addFiles(source: Command, runner: Runner): void {
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
          const input = requireValid(SetFiles, { id, files }, () => 'the properties')
          await actions.setFiles(contextOf(services), input)
          printResult(runner, json, input, name)
        }),
    )
}

interface SourceFlags {
  json?: boolean
}

const contextOf = (services: Services) => ({
  ...asCommand(services),
  encryptionKey: services.encryptionKey,
  hubspotUrl: services.config.hubspotUrl,
})

/** Runs the work on the source with this name. @throws CommandError if there is none */
function forSource<T>(
  { withServices }: Runner,
  name: string,
  work: (services: Services, source: StoredSource) => Promise<T>,
): Promise<T> {
  return withServices(async (services) => {
    const source = (await readSources(services.db)).find((each) => each.name === name)
    if (source === undefined)
      throw new CommandError(`there is no source ${JSON.stringify(name)}; "source list" shows all`)
    return work(services, source)
  })
}
