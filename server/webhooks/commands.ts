import { type Command, Option } from 'commander'
import { eventTypesOf } from '../deals/event.ts'
import {
  CommandError,
  asCommand,
  forPartner,
  ofPartner,
  printResult,
  printRows,
  type OfPartner,
  type Runner,
} from '../runtime/command.ts'
import { formatSpan } from '../values/units.ts'
import { revealSecrets, rotateSecret, setEndpoints, testEndpoint, urlProblems } from './actions.ts'
import { addDeliveryCommands, addEventCommands } from './delivery-commands.ts'
import { type EndpointKind, isUrlKind } from './delivery.ts'
import { secretOverlapMs } from './policy.ts'
import { readEndpointUrls, readEndpoints } from './store.ts'
import { readSubscriptions } from './subscription-store.ts'
import { wireSubscription } from './subscription-wire.ts'
import { configurationOf, endpointUrlsOf } from './wire.ts'

/** Adds the commands for webhooks, deliveries, and events. */
export function addWebhookCommands(program: Command, runner: Runner): void {
  const webhook = program.command('webhook').description('webhook endpoints and their signing secret')
  addShow(webhook, runner)
  addSet(webhook, runner)
  addSubscriptions(webhook, runner)
  addRotate(webhook, runner)
  addTest(webhook, runner)
  addDeliveryCommands(program, runner)
  addEventCommands(program, runner)
}

function addShow(webhook: Command, runner: Runner): void {
  ofPartner(webhook, 'show', 'the webhook URLs, as JSON')
    .option('--reveal', 'show the secret')
    .action(({ partner, reveal, json }: OfPartner & { reveal?: boolean }) =>
      forPartner(runner, partner, async (services, partnerId) => {
        const configuration = configurationOf(await readEndpointUrls(services.db, partnerId))
        const secret =
          reveal === true
            ? (await revealSecrets(asCommand(services), partnerId, services.encryptionKey))[0]!.secret
            : undefined
        runner.print(JSON.stringify({ ...configuration, secret }, null, json === true ? 0 : 2))
        for (const { kind, switchedOffAt, switchedOffBecause } of await readEndpoints(
          services.db,
          partnerId,
        )) {
          if (switchedOffAt === null || !isUrlKind(kind)) continue
          const remedy =
            switchedOffBecause === 'suspended'
              ? 'resumes with the partner'
              : '"webhook set" switches it on again'
          const since = switchedOffAt.toISOString()
          runner.writeError(`${kind}URL was switched off at ${since} (${switchedOffBecause}); ${remedy}\n`)
        }
      }),
    )
}

function addSet(webhook: Command, runner: Runner): void {
  ofPartner(webhook, 'set', 'set one or both URLs; "" clears one; setting one switches its endpoint back on')
    .option('--create-url <url>', `URL for ${eventTypesOf('create').join(' and ')}`)
    .option('--update-url <url>', `URL for ${eventTypesOf('update').join(' and ')}`)
    .action(
      ({ partner, createUrl, updateUrl, json }: OfPartner & { createUrl?: string; updateUrl?: string }) =>
        forPartner(runner, partner, async (services, partnerId) => {
          if (createUrl === undefined && updateUrl === undefined)
            throw new CommandError('give --create-url <url>, --update-url <url> or both')
          const urls = endpointUrlsOf({ createURL: createUrl, updateURL: updateUrl })
          const [problem] = await urlProblems(services, urls)
          if (problem !== undefined) throw new CommandError(`--${problem.kind}-url ${problem.reason}`)
          const stored = await setEndpoints(asCommand(services), partnerId, urls)
          runner.print(JSON.stringify(configurationOf(stored), null, json === true ? 0 : 2))
        }),
    )
}

function addSubscriptions(webhook: Command, runner: Runner): void {
  ofPartner(webhook, 'subscriptions', 'the subscriptions of a partner, oldest first').action(
    ({ partner, json }: OfPartner) =>
      forPartner(runner, partner, async ({ db }, partnerId) =>
        printRows(
          runner,
          (await readSubscriptions(db, partnerId)).map(wireSubscription),
          json,
          ['id', 'name', 'url', 'events', 'filter', 'changed', 'switched off'],
          ({ id, name, url, events, filter, changed, switchedOffAt }) => [
            id,
            name,
            url,
            events.join(','),
            typeof filter === 'string' || filter === null ? filter : JSON.stringify(filter),
            changed === null ? null : changed.join(','),
            switchedOffAt,
          ],
        ),
      ),
  )
}

function addRotate(webhook: Command, runner: Runner): void {
  ofPartner(
    webhook,
    'rotate',
    `rotate the secret and print the new one; the old one stays valid for ${formatSpan(secretOverlapMs)}`,
  ).action(({ partner, json }: OfPartner) =>
    forPartner(runner, partner, async (services, partnerId) => {
      const [made] = await rotateSecret(asCommand(services), partnerId, services.encryptionKey)
      printResult(runner, json, made!, made!.secret)
    }),
  )
}

function addTest(webhook: Command, runner: Runner): void {
  ofPartner(webhook, 'test', 'send a test event and print the result')
    .addOption(
      new Option('--endpoint <which>', 'endpoint to test (default: both)').choices(['create', 'update']),
    )
    .action(({ partner, endpoint, json }: OfPartner & { endpoint?: EndpointKind }) =>
      forPartner(runner, partner, async (services, partnerId) => {
        const endpoints = (await readEndpoints(services.db, partnerId)).filter(
          ({ kind }) => endpoint === undefined || kind === endpoint,
        )
        if (endpoints.length === 0) throw new CommandError('no endpoint is set; set one with "webhook set"')
        const deps = { ...services.webhooks, encryptionKey: services.encryptionKey }
        const results = await Promise.all(
          endpoints.map(async (own) => ({
            kind: own.kind,
            ...(await testEndpoint(asCommand(services), partnerId, own, deps)),
          })),
        )
        printRows(
          runner,
          results,
          json,
          ['endpoint', 'state', 'status', 'error', 'time'],
          ({ kind, state, status, error, durationMs }) => [
            kind,
            state,
            status === undefined ? null : status,
            error ?? null,
            `${durationMs} ms`,
          ],
        )
        if (results.some(({ state }) => state !== 'delivered')) runner.exitWith(1)
      }),
    )
}
