import { type Command, Option } from 'commander'
import type { Database } from '#db/client.ts'
import { everyone } from '../access/actor.ts'
import { ApiError } from '../errors.ts'
import {
  CommandError,
  asCommand,
  command,
  printResult,
  printRows,
  requirePartner,
  requireValid,
  type Runner,
} from '../runtime/command.ts'
import { Email } from '../values/input.ts'
import { formatSpan } from '../values/units.ts'
import { inviteUser, linkDepsOf, removeUser, resetPassword } from './actions.ts'
import { linkLifetimeMs } from './policy.ts'
import { type TeamRole, teamRoles } from './role.ts'
import { findUser, listUsers } from './user-store.ts'
import type { User } from './user.ts'
import { DisplayName } from './wire.ts'

interface Invitation {
  partner?: string
  role?: TeamRole
  operator?: boolean
  name?: string
  json?: boolean
}

/** Adds the commands that manage users. */
export function addUserCommands(program: Command, runner: Runner): void {
  const user = program.command('user').description('users of the portal')
  addInvite(user, runner)
  addList(user, runner)
  addRemove(user, runner)
  addReset(user, runner)
}

function addInvite(user: Command, runner: Runner): void {
  command(
    user,
    'invite <email>',
    `invite a user; prints a one-time sign-in link, valid for ${formatSpan(linkLifetimeMs.invitation)}, ` +
      'and mails it if SMTP_URL is set',
  )
    .addOption(new Option('--partner <slug>', 'the partner they belong to').conflicts('operator'))
    .addOption(
      new Option('--role <role>', 'role of the user (default: member)')
        .choices(teamRoles)
        .conflicts('operator'),
    )
    .option('--operator', "invite a member of the installer's staff, who sees all partners")
    .option('--name <name>', 'name of the user, who can change it')
    .action((typed: string, options: Invitation) =>
      runner.withServices(async (services) => {
        if (options.partner === undefined && options.operator !== true)
          throw new CommandError('choose an owner: --partner <slug> or --operator')
        const email = requireValid(Email, typed, () => 'the address')
        const name =
          options.name === undefined
            ? email.split('@')[0]!
            : requireValid(DisplayName, options.name, () => '--name')
        const partner = options.partner === undefined ? null : await requirePartner(services, options.partner)
        const role = partner === null ? 'operator' : (options.role ?? 'member')
        const user = { email, name, role, partnerId: partner?.id ?? null } as const
        const { link, mailed } = await inviteUser(asCommand(services), linkDepsOf(services), user).catch(
          (error: unknown) => {
            throw error instanceof ApiError && error.errors !== null
              ? new CommandError(
                  `there is a user ${email} already; "user reset" lets them in, "user remove" makes room`,
                )
              : error
          },
        )
        if (mailed === false) runner.warn('failed to mail link')
        printResult(runner, options.json, { email, role, partner: partner?.slug ?? null, link, mailed }, link)
      }),
    )
}

function addList(user: Command, runner: Runner): void {
  command(user, 'list', 'list users').action(({ json }: { json?: boolean }) =>
    runner.withServices(async ({ db }) => {
      printRows(
        runner,
        await listUsers(db),
        json,
        ['id', 'email', 'name', 'role', 'partner', 'seen'],
        ({ id, email, name, role, partner, hasPassword, seenAt }) => [
          id,
          email,
          name,
          role,
          partner,
          seenText(seenAt, hasPassword),
        ],
      )
    }),
  )
}

function seenText(seenAt: Date | null, hasPassword: boolean): string {
  if (seenAt !== null) return `seen ${seenAt.toISOString()}`
  return hasPassword ? 'never seen' : 'invited'
}

function addRemove(user: Command, runner: Runner): void {
  command(user, 'remove <email>', 'remove a user, who is signed out at once').action(
    (typed: string, { json }: { json?: boolean }) =>
      runner.withServices(async ({ db }) => {
        const email = requireValid(Email, typed, () => 'the address')
        const { id } = await requireUser(db, email)
        const { isLast, role } = await removeUser(asCommand({ db }), everyone, { id, evenLast: true })
        if (isLast)
          runner.warn(
            `this was the last ${role}${role === 'admin' ? ' of the partner' : ''}; ` +
              '"user invite" invites another one',
          )
        printResult(runner, json, { email, removed: true }, `removed ${email}`)
      }),
  )
}

function addReset(user: Command, runner: Runner): void {
  command(user, 'reset <email>', 'print a one-time link to set a new password, valid for an hour').action(
    (typed: string, { json }: { json?: boolean }) =>
      runner.withServices(async ({ db, config }) => {
        const email = requireValid(Email, typed, () => 'the address')
        const { id } = await requireUser(db, email)
        const { link } = await resetPassword(
          asCommand({ db }),
          // The command prints the link instead of mailing it.
          { publicUrl: config.publicUrl, mailer: null },
          everyone,
          id,
        )
        printResult(runner, json, { email, link }, link)
      }),
  )
}

/** Returns the user with this e-mail address. @throws CommandError */
async function requireUser(db: Database, email: string): Promise<User> {
  const user = await findUser(db, email)
  if (user === undefined) throw new CommandError(`there is no user ${email}; "user list" shows all`)
  return user
}
