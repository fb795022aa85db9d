import { text as readText } from 'node:stream/consumers'
import type { Command } from 'commander'
import { formatSpan, secondMs } from '../protocol/units.ts'
import {
  CommandError,
  asCommand,
  command,
  printResult,
  printRows,
  requireCount,
  requirePartner,
  requireValid,
} from '../runtime/command.ts'
import type { Runner } from '../runtime/runner.ts'
import type { Services } from '../runtime/services.ts'
import * as actions from './actions.ts'
import { readFileState } from './file-store.ts'
import { hintPathOf } from './hint-path.ts'
import { propertiesByField, toMapping } from './mapped-fields.ts'
import { SetFiles, SetMapping, SourceSettings } from './mapping.ts'
import { pollS as pollLimits } from './policy.ts'
import { sourceStateOf } from './source-state.ts'
import { type StoredSource, readRejects, readSources, readUnknownPartners } from './store.ts'
import { ConnectSource, ConnectSql, SetSigningSecret } from './wire.ts'

type Json = { json?: boolean }

/** The commands about sources. */
export function addSourceCommands(program: Command, runner: Runner): void {
  const source = program.command('source').description('systems that deals come from')
  addConnect(source, runner)
  addConnectSql(source, runner)
  addList(source, runner)
  addWaiting(source, runner)
  addVerb(source, runner, 'pause', 'stop reading', actions.pauseSource)
  addVerb(source, runner, 'resume', 'read on', actions.resumeSource)
  addVerb(source, runner, 'refresh', 'read now', actions.refreshSource)
  addVerb(source, runner, 'compare', 'compare all deals with the source now', (context, id) =>
    actions.refreshSource(context, id, true),
  )
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
  ).action((name: string, { json }: Json) =>
    runner.withServices(async (services) => {
      const given = { kind: 'hubspot', name, secret: (await readText(runner.input)).trim() }
      const connection = requireValid(
        ConnectSource,
        given,
        ([name]) => `the ${name === 'secret' ? 'token' : 'name'}`,
      )
      const id = await actions.connectSource(contextOf(services), connection)
      printResult(runner, json, { id, name }, name)
    }),
  )
}

function addConnectSql(source: Command, runner: Runner): void {
  command(
    source,
    'connect-sql <name>',
    'connect a query on another PostgreSQL; the URL of the database is read from standard input',
  )
    .requiredOption('--query <sql>', 'returns id, last_modified and a column for each property')
    .action((name: string, { json, query }: Json & { query: string }) =>
      runner.withServices(async (services) => {
        const given = { kind: 'sql', name, secret: (await readText(runner.input)).trim(), query }
        const connection = requireValid(
          ConnectSql,
          given,
          ([field]) => `the ${field === 'secret' ? 'URL' : String(field)}`,
        )
        const id = await actions.connectSource(contextOf(services), connection)
        printResult(runner, json, { id, name }, name)
      }),
    )
}

function addList(source: Command, runner: Runner): void {
  command(source, 'list', 'sources and how current they are').action(({ json }: Json) =>
    runner.withServices(async ({ db }) => {
      const rows = (await readSources(db)).map((each) => ({
        id: each.id,
        name: each.name,
        kind: each.kind,
        ...sourceStateOf(each, Date.now()),
        asOf: each.asOf,
        problem: each.problem,
        read: each.windowRead,
        total: each.windowTotal,
        created: each.created,
        updated: each.updated,
        removed: each.removed,
        removalsWaiting: each.removalsWaiting,
      }))
      printRows(runner, rows, json, ({ name, kind, state, lagMs, problem }) => [
        name,
        kind,
        state,
        lagMs === null ? null : formatSpan(Math.round(lagMs / secondMs) * secondMs),
        problem,
      ])
    }),
  )
}

function addWaiting(source: Command, runner: Runner): void {
  command(source, 'rejected <name>', 'records that could not be written').action(
    (name: string, { json }: Json) =>
      forSource(runner, name, async ({ db }, { id }) =>
        printRows(runner, await readRejects(db, id, 1000), json, (row) => [row.id, row.name, row.reason]),
      ),
  )
  command(source, 'unknown <name>', 'values that no partner is known of').action(
    (name: string, { json }: Json) =>
      forSource(runner, name, async ({ db }, { id }) =>
        printRows(runner, await readUnknownPartners(db, id, 1000), json, ({ value, deals }) => [
          value,
          deals,
        ]),
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
  command(source, `${verb} <name>`, description).action((name: string, { json }: Json) =>
    forSource(runner, name, async (services, { id }) => {
      await work(asCommand(services), id)
      printResult(runner, json, { id, name }, name)
    }),
  )
}

function addSettings(source: Command, runner: Runner): void {
  command(source, 'assign <name> <value>', 'say which partner a value of the partner property means')
    .option('--partner <slug>', 'the partner; none without it')
    .option('--no-events', 'send no webhooks for deals that the partner gets by this')
    .action(
      (
        name: string,
        value: string,
        { json, partner, events }: Json & { partner?: string; events: boolean },
      ) =>
        forSource(runner, name, async (services, { id }) => {
          const partnerId = partner === undefined ? null : (await requirePartner(services, partner)).id
          const given = { id, value, partner: partner ?? null, events }
          await actions.assignPartner(asCommand(services), given, partnerId)
          printResult(runner, json, given, `${value} ${partner ?? '-'}`)
        }),
    )
  command(
    source,
    'signing-secret <name>',
    'set the client secret that HubSpot signs webhooks with, which is read from standard input; empty: accept none',
  ).action((name: string, { json }: Json) =>
    forSource(runner, name, async (services, { id }) => {
      const typed = (await readText(runner.input)).trim() || null
      const { secret } = requireValid(SetSigningSecret, { id, secret: typed }, () => 'the secret')
      await actions.setSigningSecret(contextOf(services), id, secret)
      const url = `${services.config.publicUrl}${hintPathOf(id)}`
      printResult(runner, json, { id, name, url }, url)
    }),
  )
  command(source, 'poll <name> <seconds>', 'set how often changes are read').action(
    (name: string, seconds: string, { json }: Json) =>
      forSource(runner, name, async (services, { id }) => {
        const pollS = requireCount(seconds, 'the interval', pollLimits.max, pollLimits.min)
        await actions.setPoll(asCommand(services), id, pollS)
        printResult(runner, json, { id, name, pollS }, `${name} ${pollS}`)
      }),
  )
  command(source, 'approve-removals <name>', 'remove the deals that are gone in the source').action(
    (name: string, { json }: Json) =>
      forSource(runner, name, async (services, { id, removalsWaiting }) => {
        if (removalsWaiting === 0) throw new CommandError('no removals wait')
        await actions.approveRemovals(asCommand(services), id, removalsWaiting)
        printResult(runner, json, { id, name, removalsWaiting }, String(removalsWaiting))
      }),
  )
}

/** Returns the mapping with fields set, `field=property`, and removed, `field=`. @throws CommandError for another form */
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
    .option('--no-events', 'send no webhooks for what the changes change')
    .action(
      (
        name: string,
        changes: string[],
        { json, apply, events }: Json & { apply?: boolean; events: boolean },
      ) =>
        forSource(runner, name, async (services, { id, settings: stored }) => {
          const context = contextOf(services)
          const settings = SourceSettings.parse(JSON.parse(stored))
          if (changes.length === 0) {
            const rows = Object.entries({ partner: settings.partnerProperty, ...settings.mapping })
            printRows(
              runner,
              rows.map(([field, property]) => ({ field, property })),
              json,
              ({ field, property }) => [field, property],
            )
            return
          }
          const changed = changedMapping(id, settings, changes)
          if (apply === true) {
            await actions.setMapping(context, { ...changed, events })
            printResult(runner, json, changed, name)
            return
          }
          const result = await actions.previewMapping(context, changed)
          if (json === true) runner.print(JSON.stringify(result))
          else {
            runner.print(`${result.updated} of ${result.read} deals change, ${result.rejected} rejected`)
            for (const { field, count } of result.fields) runner.print(`${field} ${count}`)
            for (const { id: record, reason } of result.rejects) runner.print(`${record} ${reason}`)
          }
        }),
    )
}

type FileFlags = Partial<Record<'notes' | 'copy' | 'off', boolean>>

function addFiles(source: Command, runner: Runner): void {
  command(source, 'files <name>', 'show files that could not be had; with options, set which are followed')
    .option('--properties <names>', 'the properties that hold ids of files, separated by commas')
    .option('--notes', 'the attachments of notes about a deal')
    .option('--copy', "copy the files instead of passing on HubSpot's own URLs")
    .option('--off', 'follow no files, and remove those that are here')
    .action(
      (
        name: string,
        { json, properties, notes = false, copy, off }: Json & { properties?: string } & FileFlags,
      ) =>
        forSource(runner, name, async (services, { id }) => {
          if (properties === undefined && !notes && off !== true) {
            const { problems } = await readFileState(services.db, id, 1000)
            printRows(
              runner,
              problems.map((row) => ({ ...row, dealId: String(row.dealId) })),
              json,
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

const contextOf = (services: Services) => ({
  ...asCommand(services),
  encryptionKey: services.encryptionKey,
  hubspotUrl: services.config.hubspotUrl,
})

/** Does the work about the source with this name. @throws CommandError when there is none */
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
