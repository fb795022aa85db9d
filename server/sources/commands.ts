import { text as readText } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { z } from 'zod'
import type { AuditContext } from '../access/audited.ts'
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
  const named = addNamed(source, runner)
  addConnects(source, runner)
  addList(source, runner)
  addProblems(named, runner)
  const verb = (
    name: string,
    description: string,
    work: (context: AuditContext, id: number) => Promise<void>,
  ) =>
    named(`${name} <name>`, description, async (services, { id, name }) => {
      await work(asCommand(services), id)
      return [{ id, name }, name]
    })
  verb('pause', 'stop reading', actions.pauseSource)
  verb('resume', 'resume reading', actions.resumeSource)
  verb('refresh', 'read now', actions.refreshSource)
  verb('compare', 'compare all deals with the source now', actions.compareSource)
  verb('disconnect', 'forget the source; its deals stay', actions.disconnectSource)
  addAssign(named, runner)
  addSettings(named)
  addMapping(named, runner)
  addFiles(named, runner)
}

function addConnects(source: Command, runner: Runner): void {
  const dryRun = 'read everything and show what connecting it would bring, without writing anything'
  const connect =
    <Connection extends ConnectSource | ConnectSql>(
      kind: Connection['kind'],
      schema: z.ZodType<Connection>,
      secretName: string,
    ) =>
    (name: string, { json, dryRun, ...more }: Flags & { dryRun?: boolean }) =>
      runner.withServices(async (services) => {
        const input = { kind, name, secret: (await readText(runner.input)).trim(), ...more }
        const connection = requireValid(
          schema,
          input,
          ([field]) => `the ${field === 'secret' ? secretName : String(field)}`,
        )
        const context = contextOf(services)
        if (dryRun === true) {
          printLook(runner, await actions.previewSource(context, connection), json)
          return
        }
        printResult(runner, json, { id: await actions.connectSource(context, connection), name }, name)
      })
  command(
    source,
    'connect <name>',
    'connect HubSpot; the access token of a private app is read from standard input',
  )
    .option('--dry-run', dryRun)
    .action(connect('hubspot', ConnectSource, 'token'))
  command(
    source,
    'connect-sql <name>',
    'connect a query on another PostgreSQL; the URL of the database is read from standard input',
  )
    .requiredOption('--query <sql>', 'returns id, last_modified and a column for each property')
    .option('--zone <zone>', 'the time zone of timestamps without one, such as America/Phoenix', utc)
    .option('--dry-run', dryRun)
    .action(connect('sql', ConnectSql, 'URL'))
}

function addList(source: Command, runner: Runner): void {
  command(source, 'list', 'sources and how current they are').action(({ json }: Flags) =>
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
        ({ name, kind, state, lagMs, problem, missingProperties: gone }) => [
          name,
          kind,
          state,
          lagMs === null ? null : formatSpan(Math.round(lagMs / secondMs) * secondMs),
          problem ??
            (gone.length === 0 ? null : `These properties are gone in the source: ${gone.join(', ')}.`),
        ],
      )
    }),
  )
}

function addProblems(named: AddNamed, runner: Runner): void {
  named(
    'rejected <name>',
    'records that could not be written, or only without unreadable values',
    async ({ db }, { id }, { json }) =>
      printRows(runner, await readRejects(db, id, 1000), json, ['deal', 'name', 'problem'], (row) => [
        row.id,
        row.name,
        row.isWritten ? row.reason : `rejected: ${row.reason}`,
      ]),
  )
  named('unknown <name>', 'values not assigned to a partner', async ({ db }, { id }, { json }) =>
    printRows(runner, await readUnknownPartners(db, id, 1000), json, ['value', 'deals'], (row) => [
      row.value || '(blank)',
      row.deals,
    ]),
  )
}

function addAssign(named: AddNamed, runner: Runner): void {
  named(
    'assign <name> <value>',
    'assign a value of the partner property to a partner',
    async (services, { id }, { partner, events = true }, [value]) => {
      const partnerId = partner === undefined ? null : (await requirePartner(services, partner)).id
      const input = { id, value: value!, partner: partner ?? null, events }
      await actions.assignPartner(asCommand(services), input, partnerId)
      return [input, `${value} ${partner ?? '-'}`]
    },
  )
    .option('--partner <slug>', 'the partner; none without it')
    .option('--no-events', 'send no webhooks for deals that move to the partner')
  named(
    'signing-secret <name>',
    'set the client secret that HubSpot signs webhooks with, which is read from standard input; empty: accept none',
    async (services, { id, name }) => {
      const typed = (await readText(runner.input)).trim() || null
      const { secret } = requireValid(SetSigningSecret, { id, secret: typed }, () => 'the secret')
      await actions.setSigningSecret(contextOf(services), id, secret)
      const url = `${services.config.publicUrl}${hintPathOf(id)}`
      return [{ id, name, url }, url]
    },
  )
}

function addSettings(named: AddNamed): void {
  named(
    'zone <name> <zone>',
    'set the time zone of times without one: all deals are read again',
    async (services, { id, name }, _, [zone]) => {
      const input = requireValid(SetZone, { id, zone }, () => 'the zone')
      await actions.setZone(asCommand(services), input)
      return [input, `${name} ${zone}`]
    },
  )
  named(
    'poll <name> <seconds>',
    'set how often changes are read',
    async (services, { id, name }, _, [seconds]) => {
      const pollS = requireCount(seconds!, 'the interval', pollLimits.max, pollLimits.min)
      await actions.setPoll(asCommand(services), id, pollS)
      return [{ id, name, pollS }, `${name} ${pollS}`]
    },
  )
  named(
    'approve-removals <name>',
    'remove the deals that are gone in the source',
    async (services, { id, name, removalsWaiting }) => {
      if (removalsWaiting === 0) throw new CommandError('no removals wait')
      await actions.approveRemovals(asCommand(services), id, removalsWaiting)
      return [{ id, name, removalsWaiting }, String(removalsWaiting)]
    },
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

function addMapping(named: AddNamed, runner: Runner): void {
  named(
    'mapping <name> [changes...]',
    'show which property each field comes from; with changes such as amount=total_price (amount= for none, partner= for the partner), try them on all records and show what they would change',
    async (services, { id, name, settings: stored }, { json, apply, events = true }, changes) => {
      const settings = SourceSettings.parse(JSON.parse(stored))
      if (changes.length === 0) {
        const { mapping, partnerProperty } = settings
        const rows = Object.entries({ partner: partnerProperty, ...mapping })
        return printRows(
          runner,
          rows.map(([field, property]) => ({ field, property })),
          json,
          ['field', 'property'],
          ({ field, property }) => [field, property],
        )
      }
      const changed = changedMapping(id, settings, changes)
      if (apply !== true) {
        const preview = await actions.previewMapping(contextOf(services), changed)
        return [preview, previewText(preview)]
      }
      await actions.setMapping(contextOf(services), { ...changed, events })
      return [changed, name]
    },
  )
    .option('--apply', 'apply the changes: all deals are read again')
    .option('--no-events', 'send no webhooks for the resulting changes')
}

type Preview = Awaited<ReturnType<typeof actions.previewMapping>>

function previewText({ updated, read, rejected, unreadable, fields, rejects }: Preview): string {
  return [
    `${updated} of ${read} deals change, ${rejected} rejected, ${unreadable} with unreadable values`,
    ...fields.map(({ field, count }) => `${field} ${count}`),
    ...rejects.map(({ id, reason }) => `${id} ${reason}`),
  ].join('\n')
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

function addFiles(named: AddNamed, runner: Runner): void {
  named(
    'files <name>',
    'show files that could not be read; with options, set which ones are followed',
    async (services, { id, name }, { json, properties, notes = false, copy, off }) => {
      if (properties === undefined && !notes && off !== true) {
        const { problems } = await readFileState(services.db, id, 1000)
        return printRows(
          runner,
          problems.map((row) => ({ ...row, dealId: String(row.dealId) })),
          json,
          ['file', 'deal', 'problem'],
          (row) => [row.fileId, row.dealId, row.problem],
        )
      }
      const names = properties?.split(',').map((each) => each.trim()) ?? []
      const files = off === true ? null : { properties: names, notes, mode: copy === true ? 'copy' : 'link' }
      const input = requireValid(SetFiles, { id, files }, () => 'the properties')
      await actions.setFiles(contextOf(services), input)
      return [input, name]
    },
  )
    .option('--properties <names>', 'the properties that hold ids of files, separated by commas')
    .option('--notes', 'the attachments of notes about a deal')
    .option('--copy', "copy the files instead of passing on HubSpot's own URLs")
    .option('--off', 'stop following files, and remove those followed so far')
}

type Flags = Partial<Record<'partner' | 'properties', string>> &
  Partial<Record<'json' | 'events' | 'apply' | 'notes' | 'copy' | 'off', boolean>>

/**
 * Adds a command for the source with a name. `work` prints, or returns the result as JSON and as text.
 */
type AddNamed = (
  usage: string,
  description: string,
  work: (
    services: Services,
    source: StoredSource,
    flags: Flags,
    values: string[],
  ) => Promise<void | [value: object, text: string]>,
) => Command

const addNamed =
  (parent: Command, runner: Runner): AddNamed =>
  (usage, description, work) =>
    command(parent, usage, description).action((...typed: unknown[]) =>
      runner.withServices(async (services) => {
        const [name, ...values] = typed.slice(0, -2).flat() as string[]
        const flags = typed.at(-2) as Flags
        const source = (await readSources(services.db)).find((each) => each.name === name)
        if (source === undefined)
          throw new CommandError(`there is no source ${JSON.stringify(name)}; "source list" shows all`)
        const result = await work(services, source, flags, values)
        if (result) printResult(runner, flags.json, ...result)
      }),
    )

const contextOf = (services: Services) => ({
  ...asCommand(services),
  encryptionKey: services.encryptionKey,
  hubspotUrl: services.config.hubspotUrl,
})
