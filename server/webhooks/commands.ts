import { type Command, Option } from 'commander'
import { allPartners, reachOfPartner } from '../access/actor.ts'
import { noteCommand } from '../access/audited.ts'
import type { PartnerId, Reach } from '../accounts/partner.ts'
import { readEvents } from '../deals/store.ts'
import { Refusal } from '../protocol/errors.ts'
import { parseJson, stringifyJson } from '../protocol/int64.ts'
import {
  CommandError,
  asCommand,
  command,
  printRows,
  requireDealId,
  requirePartner,
} from '../runtime/command.ts'
import type { Runner } from '../runtime/runner.ts'
import type { Services } from '../runtime/services.ts'
import { resendAll, resendOne, rotateSecret, setEndpoints } from './actions.ts'
import type { DeliveryState, EndpointKind } from './delivery.ts'
import { urlProblem } from './endpoints/endpoint.ts'
import { readSecrets } from './endpoints/secret-store.ts'
import { countFailed, readLog } from './log/store.ts'
import { sendTest } from './send-test.ts'
import { readEndpointUrls, readEndpoints } from './store.ts'
import { endpointUrlsOf, configurationOf, withdrawals } from './wire.ts'

type WithPartner = { partner: string; json?: boolean }

/** The commands about webhooks, deliveries and events. */
export function addWebhookCommands(program: Command, runner: Runner): void {
  const webhook = program
    .command('webhook')
    .description('the addresses that events are sent to, and the secret that signs them')

  ofPartner(webhook, 'show', 'the addresses, as JSON')
    .option('--reveal', 'with the secret')
    .action(({ partner, reveal, json }: WithPartner & { reveal?: boolean }) =>
      withPartner(runner, partner, async (services, partnerId) => {
        const configuration = configurationOf(await readEndpointUrls(services.db, partnerId))
        const secret =
          reveal === true
            ? { secret: (await readSecrets(services.db, partnerId, services.encryptionKey))[0]!.secret }
            : {}
        if (reveal === true) await noteCommand(services.db, { action: 'secret.revealed', partnerId })
        runner.print(JSON.stringify({ ...configuration, ...secret }, null, json === true ? 0 : 2))
        for (const { kind, switchedOffAt, switchedOffBecause } of await readEndpoints(
          services.db,
          partnerId,
        )) {
          if (switchedOffAt !== null)
            runner.writeError(
              `${kind}URL was switched off at ${switchedOffAt.toISOString()} (${switchedOffBecause}); ${switchedOffBecause === 'suspended' ? 'it is on again when the partner is resumed' : '"webhook set" switches it on again'}\n`,
            )
        }
      }),
    )

  ofPartner(webhook, 'set', 'set one or both addresses; "" clears one; one that was switched off is on again')
    .option('--create-url <url>', 'where deal.created goes')
    .option('--update-url <url>', 'where deal.updated goes')
    .action(
      ({ partner, createUrl, updateUrl, json }: WithPartner & { createUrl?: string; updateUrl?: string }) =>
        withPartner(runner, partner, async (services, partnerId) => {
          if (createUrl === undefined && updateUrl === undefined)
            throw new CommandError('say which: --create-url <url>, --update-url <url> or both')
          for (const [option, url] of Object.entries({
            '--create-url': createUrl,
            '--update-url': updateUrl,
          })) {
            const reason =
              url === undefined || url === ''
                ? null
                : await urlProblem(url, services.endpointRules, services.resolve)
            if (reason !== null) throw new CommandError(`${option} ${reason}`)
          }
          const given = endpointUrlsOf({ createURL: createUrl, updateURL: updateUrl })
          runner.print(
            JSON.stringify(
              configurationOf(await setEndpoints(asCommand(services), partnerId, given)),
              null,
              json === true ? 0 : 2,
            ),
          )
        }),
    )

  ofPartner(
    webhook,
    'rotate',
    'make a new secret and print it; the one before signs along for 24 hours',
  ).action(({ partner, json }: WithPartner) =>
    withPartner(runner, partner, async (services, partnerId) => {
      const secrets = await rotateSecret(asCommand(services), partnerId, services.encryptionKey)
      runner.print(json === true ? JSON.stringify(secrets[0]) : secrets[0]!.secret)
    }),
  )

  ofPartner(webhook, 'test', 'send a test event and say what came of it')
    .addOption(
      new Option('--address <which>', 'one of the two; both without it').choices(['create', 'update']),
    )
    .action(({ partner, address, json }: WithPartner & { address?: EndpointKind }) =>
      withPartner(runner, partner, async (services, partnerId) => {
        const endpoints = (await readEndpoints(services.db, partnerId)).filter(
          ({ kind }) => address === undefined || kind === address,
        )
        const results = await Promise.all(
          endpoints.map(async ({ kind, url }) => {
            await noteCommand(services.db, {
              action: 'address.tested',
              subject: `${kind}URL ${url}`,
              partnerId,
            })
            return {
              kind,
              ...(await sendTest(
                services.db,
                { partnerId, kind },
                { ...services.webhooks, encryptionKey: services.encryptionKey },
              )),
            }
          }),
        )
        if (results.length === 0 || results.some(({ state }) => state === undefined))
          throw new CommandError('no address is set; "webhook set" sets one')
        printRows(runner, results, json, ({ kind, state, status, error, durationMs }) => [
          kind,
          state!,
          status === undefined ? null : status,
          error ?? null,
          `${durationMs} ms`,
        ])
        if (results.some(({ state }) => state !== 'delivered')) runner.exitWith(1)
      }),
    )

  const deliveries = program.command('deliveries').description('what was sent, or is to be')

  command(deliveries, 'list', 'the newest deliveries')
    .option('--partner <slug>', 'only those of a partner')
    .addOption(new Option('--state <state>', 'only these').choices(['waiting', 'delivered', 'failed']))
    .addOption(new Option('--address <which>', 'only those to one of the two').choices(['create', 'update']))
    .option('--deal <id>', 'only those of a deal')
    .option('--limit <count>', 'how many at most', '25')
    .action(
      (
        options: Partial<WithPartner> & {
          state?: DeliveryState
          address?: EndpointKind
          deal?: string
          limit: string
        },
      ) =>
        withReach(runner, options.partner, async ({ db }, reach) => {
          const rows = await readLog(db, reach, {
            state: options.state,
            kind: options.address,
            dealId: options.deal === undefined ? undefined : requireDealId(options.deal),
            limit: requireCount(options.limit, '--limit', 10_000),
          })
          printRows(
            runner,
            rows,
            options.json,
            ({
              id,
              partner,
              kind,
              sequence,
              dealId,
              state,
              attemptCount,
              dueAt,
              createdAt,
              withdrawnBecause,
            }) => [
              id,
              createdAt.toISOString(),
              ...(options.partner === undefined ? [partner.slug] : []),
              kind,
              sequence === null ? 'test' : `#${sequence}`,
              dealId === null ? null : String(dealId),
              state,
              `${attemptCount} attempt${attemptCount === 1 ? '' : 's'}`,
              withdrawnBecause !== null
                ? withdrawals[withdrawnBecause]
                : dueAt === null
                  ? null
                  : `due ${dueAt.toISOString()}`,
            ],
          )
        }),
    )

  ofPartner(deliveries, 'resend [id]', 'send one delivery again, or all that failed')
    .option(
      '--failed-since <time>',
      'all that failed of those made since, such as 2026-03-01 or 2026-03-01T17:20:00Z',
    )
    .option('--dry-run', 'only count those of --failed-since')
    .action(
      (
        id: string | undefined,
        { partner, failedSince, dryRun, json }: WithPartner & { failedSince?: string; dryRun?: boolean },
      ) =>
        withPartner(runner, partner, async (services, partnerId) => {
          if ((id === undefined) === (failedSince === undefined))
            throw new CommandError('say which: an id, or --failed-since <time>')
          if (id !== undefined && dryRun === true)
            throw new CommandError('--dry-run counts those of --failed-since')
          const since = failedSince === undefined ? null : requireTime(failedSince)
          const count =
            since === null
              ? await one(services, partnerId, id!)
              : dryRun === true
                ? await countFailed(services.db, partnerId, since)
                : await resendAll(asCommand(services), partnerId, since)
          runner.print(
            json === true
              ? JSON.stringify({ count })
              : `${count} ${dryRun === true ? 'failed' : 'to be sent again'}`,
          )
        }),
    )

  ofPartner(
    program.command('events').description('what happened to deals'),
    'list',
    'the events of a partner, in order',
  )
    .option('--after <sequence>', 'those after this one', '0')
    .option('--limit <count>', 'how many at most', '25')
    .action(({ partner, after, limit, json }: WithPartner & { after: string; limit: string }) =>
      withPartner(runner, partner, async ({ db }, partnerId) => {
        const { bodies } = await readEvents(
          db,
          partnerId,
          requireCount(after, '--after', Number.MAX_SAFE_INTEGER, 0),
          requireCount(limit, '--limit', 10_000),
        )
        if (json === true) runner.print(`[${bodies.join(',')}]`)
        else for (const body of bodies) runner.print(describeEvent(body))
      }),
    )
}

/** Resends one delivery. @throws CommandError */
async function one(services: Services, partnerId: PartnerId, id: string): Promise<1> {
  await resendOne(asCommand(services), partnerId, requireCount(id, 'the id', Number.MAX_SAFE_INTEGER)).catch(
    (error: unknown) => {
      throw error instanceof Refusal && error.code === 'NOT_FOUND'
        ? new CommandError(`there is no delivery ${JSON.stringify(id)} of an event to an address that is set`)
        : error
    },
  )
  return 1
}

function ofPartner(parent: Command, usage: string, description: string): Command {
  return command(parent, usage, description).requiredOption('--partner <slug>', 'the partner')
}

/** Does the work within reach of the partner with this slug, or of all. */
async function withReach(
  runner: Runner,
  slug: string | undefined,
  work: (services: Services, reach: Reach) => Promise<void>,
): Promise<void> {
  await (slug === undefined
    ? runner.withServices((services) => work(services, allPartners))
    : withPartner(runner, slug, work))
}

/** Does the work on behalf of the partner with this slug. */
async function withPartner(
  runner: Runner,
  slug: string,
  work: (services: Services, partnerId: PartnerId) => Promise<void>,
): Promise<void> {
  await runner.withServices(async (services) => {
    await requirePartner(services, slug)
    await work(services, await reachOfPartner(services, slug))
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
  const said = changes.map(({ field, from, to }) => `${field}: ${stringifyJson(from)} → ${stringifyJson(to)}`)
  return [`#${sequence}`, timestamp, type, String(data.id), said.join(', ') || '-'].join('\t')
}

function requireCount(text: string, what: string, max: number, min = 1): number {
  const count = /^\d{1,16}$/.test(text) ? Number(text) : NaN
  if (count >= min && count <= max) return count
  throw new CommandError(`${what} must be a whole number from ${min} to ${max}`)
}

function requireTime(text: string): Date {
  const time = new Date(text)
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(time.getTime()))
    throw new CommandError('--failed-since must be a time such as 2026-03-01T17:20:00Z')
  return time
}
