import type { Command } from 'commander'
import type { Transaction } from '#db/client.ts'
import { type PartnerId, isSlug } from './accounts/partner.ts'
import { createPartner, listPartners } from './accounts/store.ts'
import { DisplayName } from './accounts/wire.ts'
import { reachOfPartner } from './actor.ts'
import { type Deed, noteCommand } from './audited.ts'
import { CommandError, command, print, printRows, requirePartner, withServices } from './command.ts'
import { stringifyJson } from './int64.ts'
import { renamePartner, resumePartner, suspendPartner } from './partners/store.ts'

/** The commands about partners. */
export function addPartnerCommands(program: Command): void {
  const partner = program.command('partner').description('partners')

  command(partner, 'create <slug>', 'make a partner').requiredOption('--name <name>', 'its name')
    .action((slug: string, { name: typed, json }: { name: string; json?: boolean }) => withServices(async ({ db }) => {
      if (!isSlug(slug)) throw new CommandError('a slug is 1 to 63 of a-z, 0-9 and inner hyphens')
      const name = requireName(typed)
      const { id } = await db.transaction(async (tx) => {
        const made = await createPartner(tx, slug, name)
        if (made === undefined) throw new CommandError(`there is a partner ${slug} already`)
        await noteCommand(tx, { action: 'partner.created', subject: slug, partnerId: made.id })
        return made
      })
      print(json === true ? stringifyJson({ id, slug, name }) : slug)
    }))

  command(partner, 'list', 'all partners').action(({ json }: { json?: boolean }) => withServices(async ({ db }) => {
    printRows(await listPartners(db), json, ({ id, slug, name, suspendedAt }) => [id, slug, name, ...(suspendedAt === null ? [] : [`suspended ${suspendedAt.toISOString()}`])])
  }))

  command(partner, 'rename <slug>', 'call a partner by another name; its slug stays').requiredOption('--name <name>', 'its new name')
    .action((slug: string, { name: typed, json }: { name: string; json?: boolean }) => {
      const name = requireName(typed)
      return change(slug, { action: 'partner.renamed', subject: `${slug} (${name})` }, (tx, id) => renamePartner(tx, id, name), json === true ? stringifyJson({ slug, name }) : slug)
    })

  command(partner, 'suspend <slug>', 'let nobody of a partner in, by token or in the portal, and send nothing to its addresses; deals and events go on being recorded')
    .action((slug: string, { json }: { json?: boolean }) => change(slug, { action: 'partner.suspended', subject: slug }, async (tx, id) => {
      if (!await suspendPartner(tx, id)) throw new CommandError(`${slug} is suspended already`)
    }, json === true ? stringifyJson({ slug, suspended: true }) : `suspended ${slug}`))

  command(partner, 'resume <slug>', 'let a suspended partner in again, and send what has waited for its addresses')
    .action((slug: string, { json }: { json?: boolean }) => change(slug, { action: 'partner.resumed', subject: slug }, async (tx, id) => {
      if (!await resumePartner(tx, id)) throw new CommandError(`${slug} is not suspended`)
    }, json === true ? stringifyJson({ slug, suspended: false }) : `resumed ${slug}`))
}

/** Does something to a partner, writes down that it was done, and prints what came of it. */
function change(slug: string, deed: Deed, work: (tx: Transaction, id: PartnerId) => Promise<void>, said: string): Promise<void> {
  return withServices(async (services) => {
    await requirePartner(services, slug)
    const id = await reachOfPartner(services, slug)
    await services.db.transaction(async (tx) => {
      await work(tx, id)
      await noteCommand(tx, { ...deed, partnerId: id })
    })
    print(said)
  })
}

function requireName(typed: string): string {
  const { data, error } = DisplayName.safeParse(typed)
  if (data === undefined) throw new CommandError(`--name ${error!.issues[0]!.message}`)
  return data
}
