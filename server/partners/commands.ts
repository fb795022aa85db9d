import type { Command } from 'commander'
import { changePartnerZone } from '../accounts/actions.ts'
import { readFileUse } from '../accounts/limit-store.ts'
import { bytesOfGb, formatGb } from '../accounts/limit.ts'
import { isSlug } from '../accounts/partner.ts'
import { listPartners } from '../accounts/store.ts'
import { DisplayName } from '../accounts/wire.ts'
import { isZone } from '../accounts/zone-choice.ts'
import {
  CommandError,
  asCommand,
  command,
  forPartner,
  printResult,
  printRows,
  requireValid,
  type Runner,
} from '../runtime/command.ts'
import { changeFileQuota, createPartner, renamePartner, resumePartner, suspendPartner } from './actions.ts'
import { FileQuotaGb, fileQuotaMaxGb } from './wire.ts'

/** Adds the commands for partners. */
export function addPartnerCommands(program: Command, runner: Runner): void {
  const partner = program.command('partner').description('partners')
  addCreate(partner, runner)
  addList(partner, runner)
  addRename(partner, runner)
  addTimeZone(partner, runner)
  addFileQuota(partner, runner)
  addSuspend(partner, runner)
  addResume(partner, runner)
}

function addCreate(partner: Command, runner: Runner): void {
  command(partner, 'create <slug>', 'create a partner')
    .requiredOption('--name <name>', 'its name')
    .action((slug: string, { name: typed, json }: { name: string; json?: boolean }) =>
      runner.withServices(async (services) => {
        if (!isSlug(slug)) throw new CommandError('a slug is 1 to 63 of a-z, 0-9 and inner hyphens')
        const name = requireValid(DisplayName, typed, () => '--name')
        const { id } = await createPartner(asCommand(services), { slug, name })
        printResult(runner, json, { id, slug, name }, slug)
      }),
    )
}

function addList(partner: Command, runner: Runner): void {
  command(partner, 'list', 'list partners').action(({ json }: { json?: boolean }) =>
    runner.withServices(async ({ db }) => {
      printRows(
        runner,
        await listPartners(db),
        json,
        ['id', 'slug', 'name'],
        ({ id, slug, name, suspendedAt }) => [
          id,
          slug,
          name,
          ...(suspendedAt === null ? [] : [`suspended ${suspendedAt.toISOString()}`]),
        ],
      )
    }),
  )
}

function addRename(partner: Command, runner: Runner): void {
  command(partner, 'rename <slug>', 'rename a partner; its slug stays')
    .requiredOption('--name <name>', 'its new name')
    .action((slug: string, { name: typed, json }: { name: string; json?: boolean }) => {
      const name = requireValid(DisplayName, typed, () => '--name')
      return forPartner(runner, slug, async (services, id) => {
        await renamePartner(asCommand(services), id, slug, name)
        printResult(runner, json, { slug, name }, slug)
      })
    })
}

function addTimeZone(partner: Command, runner: Runner): void {
  command(
    partner,
    'time-zone <slug> <zone>',
    'set the time zone of a partner in the portal: an IANA name such as America/Los_Angeles, or default for the zone of most deals',
  ).action((slug: string, typed: string, { json }: { json?: boolean }) => {
    if (typed !== 'default' && !isZone(typed))
      throw new CommandError(`${typed} is not the name of a time zone, such as America/Los_Angeles or UTC`)
    const timeZone = typed === 'default' ? null : typed
    return forPartner(runner, slug, async (services, id) => {
      await changePartnerZone(asCommand(services), id, slug, timeZone)
      printResult(runner, json, { slug, timeZone }, `${slug} ${typed}`)
    })
  })
}

function addFileQuota(partner: Command, runner: Runner): void {
  command(
    partner,
    'file-quota <slug> [gigabytes]',
    'print the size and quota of the files that a partner has attached; set the quota in GB, or to the default',
  ).action((slug: string, typed: string | undefined, { json }: { json?: boolean }) => {
    const quota = typed === undefined ? undefined : readQuota(typed)
    return forPartner(runner, slug, async (services, id) => {
      if (quota !== undefined) await changeFileQuota(asCommand(services), id, slug, quota)
      const use = await readFileUse(services.db, id)
      const text = `${slug} ${formatGb(use.usedBytes)} of ${formatGb(use.quotaBytes)} GB`
      printResult(runner, json, { slug, ...use }, text)
    })
  })
}

function readQuota(typed: string): number | null {
  if (typed === 'default') return null
  const gigabytes = FileQuotaGb.safeParse(/^\d{1,6}$/.test(typed) ? Number(typed) : undefined)
  if (!gigabytes.success)
    throw new CommandError(`${typed} is not a whole number of GB from 0 to ${fileQuotaMaxGb}, or default`)
  return bytesOfGb(gigabytes.data!)
}

function addSuspend(partner: Command, runner: Runner): void {
  command(
    partner,
    'suspend <slug>',
    'block all access for a partner and stop its webhooks; deals and events are still recorded',
  ).action((slug: string, { json }: { json?: boolean }) =>
    forPartner(runner, slug, async (services, id) => {
      await suspendPartner(asCommand(services), id, slug)
      printResult(runner, json, { slug, suspended: true }, `suspended ${slug}`)
    }),
  )
}

function addResume(partner: Command, runner: Runner): void {
  command(
    partner,
    'resume <slug>',
    'restore access for a suspended partner and send waiting deliveries',
  ).action((slug: string, { json }: { json?: boolean }) =>
    forPartner(runner, slug, async (services, id) => {
      await resumePartner(asCommand(services), id, slug)
      printResult(runner, json, { slug, suspended: false }, `resumed ${slug}`)
    }),
  )
}
