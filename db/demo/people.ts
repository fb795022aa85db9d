import { Random, seedOf } from '#db/demo/random.ts'
import { list, rows } from '#db/demo/tables.ts'
import type { Deal, Person } from '#server/deals/deal.ts'
import { dayMs } from '#server/values/units.ts'

/** The installer whose portal the demo shows. */
export const installer = { name: 'BrightRoof Energy', domain: 'brightroof.example' }

/**
 * First and last names that go together, as frequent as among homeowners of the Sun Belt and the mountain
 * states.
 */
const namesakes = rows('names').map(([weight, first, last]) => ({
  weight: Number(weight),
  first: list(first),
  last: list(last),
}))

/** Returns a full name; one in twelve mixes origins. */
function fullName(random: Random): { firstName: string; lastName: string } {
  const group = random.weighted(namesakes)
  const lastNames = random.chance(1 / 12) ? random.weighted(namesakes).last : group.last
  return { firstName: random.pick(group.first), lastName: random.pickEarly(lastNames) }
}

/**
 * Returns a homeowner, and the name on the utility bill: usually the same, otherwise with an initial, or the
 * partner's.
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

/**
 * A partner's salespeople: closers meet the homeowner, setters make the appointment. The best sellers come
 * first.
 */
export interface Crew {
  closers: readonly string[]
  setters: readonly string[]
}

/** Returns the crew of a partner, the same for the same slug. */
export function crew(slug: string): Crew {
  const random = new Random(seedOf(`crew of ${slug}`))
  const names = new Set<string>()
  while (names.size < closers + setters) names.add(Object.values(fullName(random)).join(' '))
  return { closers: [...names].slice(0, closers), setters: [...names].slice(closers) }
}

const [closers, setters] = [11, 14]

type StaffRole =
  | 'owner'
  | 'projectManager'
  | 'postInstallEngineer'
  | 'postInstallProjectManager'
  | 'ixCoordinator'
  | 'permitCoordinator'

/** The installer's staff by role in a deal. */
export type Staff = Record<StaffRole, readonly Person[]>

/**
 * The installer's staff with roles in deals; they joined before the oldest deal, more than 400 days before
 * `today` (milliseconds).
 */
export function staff(today: number): Staff {
  let number = 0
  const person = (name: string, teams: string, crmTeamId: string): Person => {
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
      teams,
      crmTeamId,
      createdAt: at(random.int(420, 1_700)),
      updatedAt: at(random.int(4, 240)),
    }
  }
  return Object.fromEntries(
    rows('staff').map(([role, team = '', crmTeamId = '', members]) => [
      role,
      list(members).map((name) => person(name, team, crmTeamId)),
    ]),
  ) as unknown as Staff
}

/**
 * Returns the people of a deal: a dealer has one owner, permits and interconnection go by state, the rest by
 * availability. `filled` are the roles assigned by now: each starts with its work.
 */
export function staffRoles(
  random: Random,
  all: Staff,
  filled: Record<Exclude<StaffRole, 'owner'>, boolean>,
  { slug, state }: { slug: string; state: string },
): Pick<Deal, StaffRole> {
  const one = (role: StaffRole, seed: string) => all[role][(seedOf(seed) >>> 8) % all[role].length]!
  const chosen: Pick<Deal, StaffRole> = {
    owner: one('owner', slug),
    projectManager: random.pick(all.projectManager),
    postInstallEngineer: random.pick(all.postInstallEngineer),
    postInstallProjectManager: random.pick(all.postInstallProjectManager),
    ixCoordinator: one('ixCoordinator', state),
    permitCoordinator: one('permitCoordinator', state),
  }
  for (const role of Object.keys(filled) as (keyof typeof filled)[]) if (!filled[role]) chosen[role] = null
  return chosen
}
