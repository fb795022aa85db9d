import { type Command, Option } from 'commander'
import type { z } from 'zod'
import { invite, issueLink } from './accounts/send-link.ts'
import { findUser, listUsers, removeUser } from './accounts/user-store.ts'
import { Email, PersonName } from './accounts/wire.ts'
import { CommandError, command, print, printRows, requirePartner, withServices } from './command.ts'
import { stringifyJson } from './int64.ts'

interface Invitation {
  partner?: string
  role?: 'member' | 'admin'
  operator?: boolean
  name?: string
  json?: boolean
}

/** The commands about people who sign in. */
export function addUserCommands(program: Command): void {
  const user = program.command('user').description('people who sign in to the portal')

  command(user, 'invite <email>', 'invite somebody; prints the link that lets them in once, within 7 days, and mails it if SMTP_URL is set')
    .addOption(new Option('--partner <slug>', 'the partner they belong to').conflicts('operator'))
    .addOption(new Option('--role <role>', 'what they may do there; member without it').choices(['member', 'admin']).conflicts('operator'))
    .option('--operator', "make them one of the installer's own staff, who see all partners")
    .option('--name <name>', 'what they are called; they can change it')
    .action((typed: string, options: Invitation) => withServices(async (services) => {
      if (options.partner === undefined && options.operator !== true) throw new CommandError('say whose they are: --partner <slug> or --operator')
      const email = required(Email, typed, 'the address')
      const name = options.name === undefined ? email.split('@')[0]! : required(PersonName, options.name, '--name')
      const partner = options.partner === undefined ? null : await requirePartner(services, options.partner)
      const role = partner === null ? 'operator' : options.role ?? 'member'
      const invited = await invite({ ...services, publicUrl: services.config.publicUrl }, { email, name, role, partnerId: partner?.id ?? null }, partner?.name ?? null)
      if (invited === undefined) throw new CommandError(`there is a user ${email} already; "user reset" lets them in, "user remove" makes room`)
      if (invited.mailed === false) process.stderr.write('operator: the link could not be mailed\n')
      print(options.json === true ? stringifyJson({ email, role, partner: partner?.slug ?? null, ...invited }) : invited.link)
    }))

  command(user, 'list', 'all users').action(({ json }: { json?: boolean }) => withServices(async ({ db }) => {
    printRows(await listUsers(db), json, ({ id, email, name, role, partner, hasPassword, seenAt }) => (
      [id, email, name, role, partner, seenAt !== null ? `seen ${seenAt.toISOString()}` : hasPassword ? 'never seen' : 'invited']))
  }))

  command(user, 'remove <email>', 'remove a user, who is signed out at once').action((typed: string, { json }: { json?: boolean }) => withServices(async ({ db }) => {
    const email = required(Email, typed, 'the address')
    if (!await removeUser(db, email)) throw noUser(email)
    print(json === true ? stringifyJson({ email, removed: true }) : `removed ${email}`)
  }))

  command(user, 'reset <email>', 'print a link to set a new password, which works once, within an hour').action((typed: string, { json }: { json?: boolean }) => withServices(async ({ db, config }) => {
    const email = required(Email, typed, 'the address')
    const found = await findUser(db, email)
    if (found === undefined) throw noUser(email)
    const link = await issueLink({ db, publicUrl: config.publicUrl }, found.id, 'reset')
    print(json === true ? stringifyJson({ email, link }) : link)
  }))
}

const noUser = (email: string) => new CommandError(`there is no user ${email}; "user list" shows all`)

/** What was typed, as it is kept. @throws CommandError */
function required(schema: z.ZodType<string>, typed: string, what: string): string {
  const { data, error } = schema.safeParse(typed)
  if (data === undefined) throw new CommandError(`${what} ${error!.issues[0]!.message}`)
  return data
}
