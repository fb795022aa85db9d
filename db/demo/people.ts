import { Random, seedOf } from '#db/demo/random.ts'
import type { Step } from '#db/demo/steps.ts'
import { list, table } from '#db/demo/tables.ts'
import type { FieldOf, Person } from '#server/deals/deal.ts'
import { dayMs } from '#server/values/units.ts'

/** The installer whose portal the demo shows. */
export const installer = { name: 'BrightRoof Energy', domain: 'brightroof.example' }

/**
 * First and last names that go together, with frequencies as among homeowners in the Sun Belt and the
 * mountain states.
 */
const namesakes = table('names', { weight: Number, first: list, last: list })

/** Returns a full name. One in twelve names mixes origins. */
function fullName(random: Random): { firstName: string; lastName: string } {
  const group = random.weighted(namesakes)
  const lastNames = random.chance(1 / 12) ? random.weighted(namesakes).last : group.last
  return { firstName: random.pick(group.first), lastName: random.pickEarly(lastNames) }
}

/**
 * Returns a homeowner and the name on the utility bill, which is usually the homeowner's own name, otherwise
 * a variant with an initial or the spouse's name.
 */
export function homeowner(random: Random): { firstName: string; lastName: string; nameOnUb: string } {
  const { firstName, lastName } = fullName(random)
  return { firstName, lastName, nameOnUb: `${firstNameOnBill(random, firstName)} ${lastName}` }
}

function firstNameOnBill(random: Random, firstName: string): string {
  const drawn = random.next()
  if (drawn < 0.8) return firstName
  if (drawn < 0.88) return `${firstName} ${random.pick([...'ABCDEGJLMRST'])}`
  return random.weighted(namesakes).first[random.int(0, 19)]!
}

const [closers, setters] = [11, 14]

/**
 * Returns the salespeople of the partner with this slug, best first. Closers meet the homeowner, and setters
 * make the appointment.
 */
export function crew(slug: string) {
  const random = new Random(seedOf(`crew of ${slug}`))
  const names = new Set<string>()
  while (names.size < closers + setters) names.add(Object.values(fullName(random)).join(' '))
  return { closers: [...names].slice(0, closers), setters: [...names].slice(closers) }
}

/** The installer's staff by role in a deal. A staff member joins a deal at a certain step. */
const teams = table('staff', {
  role: (text) => text as StaffRole,
  name: String,
  crmTeamId: String,
  from: (text) => text as Step,
  members: list,
})

type StaffRole = FieldOf<'person'>
export type Staff = Record<StaffRole, readonly Person[]>

/**
 * Returns the installer's staff, all of whom joined more than 400 days before `today` (milliseconds), and so
 * before the oldest deal.
 */
export function staff(today: number): Staff {
  let number = 0
  const person = (name: string, team: string, crmTeamId: string): Person => {
    number++
    const [firstName = '', lastName = ''] = name.split(' ')
    const random = new Random(seedOf(name))
    const at = (daysAgo: number) =>
      new Date(today - daysAgo * dayMs + random.int(14 * 3600, 23 * 3600) * 1000).toISOString()
    return {
      id: BigInt(41_180 + number * 23 + random.int(0, 19)),
      userId: BigInt(7_702_110 + number * 3_571 + random.int(0, 2_999)),
      email: `${firstName}.${lastName}@${installer.domain}`.toLowerCase(),
      firstName,
      lastName,
      teams: team,
      crmTeamId,
      createdAt: at(random.int(420, 1_700)),
      updatedAt: at(random.int(4, 240)),
    }
  }
  return Object.fromEntries(
    teams.map(({ role, name, crmTeamId, members }) => [
      role,
      members.map((member) => person(member, name, crmTeamId)),
    ]),
  ) as unknown as Staff
}

/**
 * Returns the people of a deal whose work has begun. A dealer has one owner. Permits and interconnection are
 * assigned by state, other roles by availability.
 */
export function staffRoles(
  random: Random,
  all: Staff,
  done: (step: Step) => boolean,
  { slug, state }: { slug: string; state: string },
): Partial<Record<StaffRole, Person>> {
  const one = (role: StaffRole, seed: string) => all[role][(seedOf(seed) >>> 8) % all[role].length]!
  const chosen: Record<StaffRole, Person> = {
    owner: one('owner', slug),
    projectManager: random.pick(all.projectManager),
    postInstallEngineer: random.pick(all.postInstallEngineer),
    postInstallProjectManager: random.pick(all.postInstallProjectManager),
    ixCoordinator: one('ixCoordinator', state),
    permitCoordinator: one('permitCoordinator', state),
  }
  return Object.fromEntries(
    teams.flatMap(({ role, from }) => (done(from) ? [[role, chosen[role]] as const] : [])),
  )
}
