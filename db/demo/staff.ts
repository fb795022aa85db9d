import { Random, seedOf } from '#db/demo/random.ts'
import type { Deal, Person } from '#server/deals/deal.ts'
import { dayMs } from '#server/values/units.ts'

/** The installer whose portal the demo shows. */
export const installer = { name: 'BrightRoof Energy', domain: 'brightroof.example' }

export type StaffRole =
  | 'owner'
  | 'projectManager'
  | 'postInstallEngineer'
  | 'postInstallProjectManager'
  | 'ixCoordinator'
  | 'permitCoordinator'

interface Team {
  team: string
  crmTeamId: string
  members: readonly string[]
}

const teams: Record<StaffRole, Team> = {
  owner: {
    team: 'Dealer Success',
    crmTeamId: '5504',
    members: ['Rachel Whitaker', 'Marcus Bell', 'Tomas Herrera', 'Jenna Caldwell'],
  },
  projectManager: {
    team: 'Project Management',
    crmTeamId: '5510',
    members: [
      'Maria Alvarez',
      'Jonathan Tran',
      'Kelsey Byrne',
      'Devin Sutherland',
      'Priya Raman',
      'Chris Okonkwo',
      'Heather Lindqvist',
    ],
  },
  postInstallEngineer: {
    team: 'Field Engineering',
    crmTeamId: '5523',
    members: ['Nathan Kessler', 'Luis Ocampo', 'Brooke Hensley'],
  },
  postInstallProjectManager: {
    team: 'Post-Install',
    crmTeamId: '5527',
    members: ['Danielle Foster', 'Aaron Medina', 'Simone Laurent', 'Trevor Quach'],
  },
  ixCoordinator: {
    team: 'Interconnection',
    crmTeamId: '5531',
    members: ['Omar Haddad', 'Stacy Bowman', 'Elise Nakagawa'],
  },
  permitCoordinator: {
    team: 'Permitting',
    crmTeamId: '5536',
    members: ['Gloria Paredes', 'Ben Sorensen', 'Tasha Monroe', 'Victor Ibarra'],
  },
}

export type Staff = Record<StaffRole, readonly Person[]>

/**
 * The installer's staff with roles in deals; they joined before the oldest deal, more than 400 days before
 * `today` (milliseconds).
 */
export function staff(today: number): Staff {
  let number = 0
  const people = ({ team, crmTeamId, members }: Team) =>
    members.map((member): Person => {
      number++
      const [firstName = '', lastName = ''] = member.split(' ')
      const random = new Random(seedOf(member))
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
    })
  return {
    owner: people(teams.owner),
    projectManager: people(teams.projectManager),
    postInstallEngineer: people(teams.postInstallEngineer),
    postInstallProjectManager: people(teams.postInstallProjectManager),
    ixCoordinator: people(teams.ixCoordinator),
    permitCoordinator: people(teams.permitCoordinator),
  }
}

/** The roles assigned by now: each starts with its work. */
export interface Filled {
  projectManager: boolean
  ixCoordinator: boolean
  permitCoordinator: boolean
  postInstall: boolean
}

/**
 * Returns the people of a deal: a dealer has one or two owners, permits and interconnection go by state, the
 * rest by availability.
 */
export function staffRoles(
  random: Random,
  all: Staff,
  filled: Filled,
  slug: string,
  state: string,
): Pick<Deal, StaffRole> {
  const one = (people: readonly Person[], index: number) => people[index % people.length] as Person
  const byPartner = seedOf(slug) >>> 8
  const byState = seedOf(state) >>> 4
  const projectManager = random.pick(all.projectManager)
  const postInstallEngineer = random.pickEarly(all.postInstallEngineer)
  const postInstallProjectManager = random.pick(all.postInstallProjectManager)
  return {
    owner: one(all.owner, byPartner + (random.chance(0.8) ? 0 : 1)),
    projectManager: filled.projectManager ? projectManager : null,
    postInstallEngineer: filled.postInstall ? postInstallEngineer : null,
    postInstallProjectManager: filled.postInstall ? postInstallProjectManager : null,
    ixCoordinator: filled.ixCoordinator ? one(all.ixCoordinator, byState) : null,
    permitCoordinator: filled.permitCoordinator ? one(all.permitCoordinator, byState >>> 3) : null,
  }
}
