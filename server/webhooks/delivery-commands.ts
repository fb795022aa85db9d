import { type Command, Option } from 'commander'
import { everyone } from '../access/actor.ts'
import type { AuditContext } from '../access/audited.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { readEvents } from '../deals/event-store.ts'
import { readOldestSequence } from '../deals/store.ts'
import { ApiError } from '../errors.ts'
import {
  CommandError,
  type Runner,
  asCommand,
  command,
  forPartner,
  ofPartner,
  printResult,
  printRows,
  requireCount,
  requireDealId,
  type OfPartner,
} from '../runtime/command.ts'
import type { Services } from '../runtime/services.ts'
import { parseJson, stringifyJson } from '../values/int64.ts'
import { resendAll, resendOne } from './actions.ts'
import type { EndpointKind } from './delivery.ts'
import { findSearched, readLog } from './log-store.ts'
import { countResendable } from './resend-store.ts'
import { type LogState, type ResendDeliveries, logStates, resendStates, withdrawals } from './wire.ts'

const searched = "only those of a homeowner's name, the id of a deal or a last status"

/** Adds the commands that list and resend deliveries. */
export function addDeliveryCommands(program: Command, runner: Runner): void {
  const deliveries = program.command('deliveries').description('what was sent, or is to be')
  addList(deliveries, runner)
  addResend(deliveries, runner)
}

function addList(deliveries: Command, runner: Runner): void {
  command(deliveries, 'list', 'the newest deliveries')
    .option('--partner <slug>', 'only those of a partner')
    .addOption(new Option('--state <state>', 'only these').choices([...logStates]))
    .addOption(
      new Option('--endpoint <which>', 'only those to one of the two endpoints').choices([
        'create',
        'update',
      ]),
    )
    .option('--deal <id>', 'only those of a deal')
    .option('--search <text>', searched)
    .option('--limit <count>', 'how many at most', '25')
    .action(
      (
        options: Partial<OfPartner> & {
          state?: LogState
          endpoint?: EndpointKind
          deal?: string
          search?: string
          limit: string
        },
      ) =>
        withTenant(runner, options.partner, async ({ db }, tenant) => {
          const rows = await readLog(db, tenant, {
            state: options.state,
            kind: options.endpoint,
            search: await findSearched(db, tenant, options.search),
            dealId: options.deal === undefined ? undefined : requireDealId(options.deal),
            limit: requireCount(options.limit, '--limit', 10_000),
          })
          const ofAll = <Value>(value: Value) => (options.partner === undefined ? [value] : [])
          printRows(
            runner,
            rows,
            options.json,
            ['id', 'created', ...ofAll('partner'), 'endpoint', 'event', 'deal', 'state', 'attempts', 'next'],
            ({ partner, kind, sequence, dealId, state, attemptCount, withdrawnBecause, ...row }) => [
              row.id,
              row.createdAt.toISOString(),
              ...ofAll(partner.slug),
              kind,
              sequence === null ? 'test' : `#${sequence}`,
              dealId === null ? null : String(dealId),
              state,
              `${attemptCount} attempt${attemptCount === 1 ? '' : 's'}`,
              withdrawnBecause === null ? dueText(row.dueAt) : withdrawals[withdrawnBecause],
            ],
          )
        }),
    )
}

const dueText = (dueAt: Date | null) => (dueAt === null ? null : `due ${dueAt.toISOString()}`)

interface ResendOptions {
  failedSince?: string
  retrying?: boolean
  endpoint?: EndpointKind
  search?: string
  dryRun?: boolean
}

function addResend(deliveries: Command, runner: Runner): void {
  ofPartner(deliveries, 'resend [id]', 'send one delivery again, or all that failed')
    .option(
      '--failed-since <time>',
      'all that failed of those made since, such as 2026-03-01 or 2026-03-01T17:20:00Z',
    )
    .option('--retrying', 'with --failed-since: also those that are being retried')
    .addOption(
      new Option('--endpoint <which>', 'with --failed-since: only those to one of the two endpoints').choices(
        ['create', 'update'],
      ),
    )
    .option('--search <text>', `with --failed-since: ${searched}`)
    .option('--dry-run', 'only count those of --failed-since')
    .action(
      (
        id: string | undefined,
        { partner, failedSince, retrying, endpoint, search, dryRun, json }: OfPartner & ResendOptions,
      ) =>
        forPartner(runner, partner, async (services, partnerId) => {
          if ((id === undefined) === (failedSince === undefined))
            throw new CommandError('say which: an id, or --failed-since <time>')
          if (id !== undefined && dryRun === true)
            throw new CommandError('--dry-run counts those of --failed-since')
          if (id !== undefined && (retrying ?? endpoint ?? search) !== undefined)
            throw new CommandError('--retrying, --endpoint and --search narrow those of --failed-since')
          const filter: ResendDeliveries | null =
            failedSince === undefined
              ? null
              : {
                  states: retrying === true ? [...resendStates] : ['failed'],
                  kind: endpoint,
                  search,
                  since: requireTime(failedSince),
                }
          const context = asCommand(services)
          let count = 1
          if (filter === null) await resendById(context, partnerId, id!)
          else if (dryRun === true)
            count = await countResendable(services.db, partnerId, {
              ...filter,
              search: await findSearched(services.db, partnerId, search),
            })
          else count = await resendAll(context, partnerId, filter)
          printResult(
            runner,
            json,
            { count },
            `${count} ${dryRun === true ? filter!.states!.join(' or ') : 'to be sent again'}`,
          )
        }),
    )
}

/** Runs the work for the partner with this slug, or for all partners. */
async function withTenant(
  runner: Runner,
  slug: string | undefined,
  work: (services: Pick<Services, 'db'>, tenant: TenantScope) => Promise<void>,
): Promise<void> {
  await (slug === undefined
    ? runner.withServices((services) => work(services, everyone))
    : forPartner(runner, slug, work))
}

/** Adds the command that lists events. */
export function addEventCommands(program: Command, runner: Runner): void {
  ofPartner(
    program.command('events').description('what happened to deals'),
    'list',
    'the events of a partner, in order',
  )
    .option('--after <sequence>', 'those after this one', '0')
    .option('--limit <count>', 'how many at most', '25')
    .action(({ partner, after, limit, json }: OfPartner & { after: string; limit: string }) =>
      forPartner(runner, partner, async ({ db }, partnerId) => {
        const from = requireCount(after, '--after', Number.MAX_SAFE_INTEGER, 0)
        const oldest = (await readOldestSequence(db, partnerId)) ?? from
        const { bodies } = await readEvents(
          db,
          partnerId,
          Math.max(from, oldest - 1),
          requireCount(limit, '--limit', 10_000),
          { maxBytes: Number.MAX_SAFE_INTEGER },
        )
        if (json === true) runner.print(`[${bodies.join(',')}]`)
        else for (const body of bodies) runner.print(describeEvent(body))
      }),
    )
}

/** Resends one delivery. @throws CommandError */
async function resendById(context: AuditContext, partnerId: PartnerId, text: string): Promise<void> {
  const id = requireCount(text, 'the id', Number.MAX_SAFE_INTEGER)
  await resendOne(context, partnerId, id).catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 'NOT_FOUND'
      ? new CommandError(
          `there is no delivery ${JSON.stringify(text)} of an event to an endpoint that is set`,
        )
      : error
  })
}

function describeEvent(body: string): string {
  const { sequence, timestamp, type, data, changes } = parseJson(body) as {
    sequence: number
    timestamp: string
    type: string
    data: { id: number | bigint }
    changes: { field: string; from: unknown; to: unknown }[]
  }
  const changeTexts = changes.map(
    ({ field, from, to }) => `${field}: ${stringifyJson(from)} → ${stringifyJson(to)}`,
  )
  return [`#${sequence}`, timestamp, type, String(data.id), changeTexts.join(', ') || '-'].join('\t')
}

function requireTime(text: string): Date {
  const time = new Date(text)
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(time.getTime()))
    throw new CommandError('--failed-since must be a time such as 2026-03-01T17:20:00Z')
  return time
}
