import {
  course,
  currentPosition,
  type Course,
  type Happening,
  type CurrentPosition,
} from '#db/demo/course.ts'
import { homeowner, type Crew, type DemoHomeowner } from '#db/demo/people.ts'
import { phone, place, type Place, type State } from '#db/demo/places.ts'
import { price, type Price } from '#db/demo/price.ts'
import type { Random } from '#db/demo/random.ts'
import { activity, addSituation, recordValues, remarks } from '#db/demo/remarks.ts'
import { staffRoles, type Filled, type Staff } from '#db/demo/staff.ts'
import { homeownersAssociation } from '#db/demo/streets.ts'
import { system, type SolarSystem } from '#db/demo/system.ts'
import { dayMs } from '#server/values/units.ts'

/** Properties shared by a partner's deals. */
export interface Portfolio {
  slug: string
  name: string
  states: readonly State[]
  crew: Crew
  staff: Staff
  /** Midnight UTC at the start of today, in milliseconds; nothing has happened after it. */
  today: number
}

/** A sale and its customer. */
interface Sale {
  home: Place
  owner: DemoHomeowner
  roof: SolarSystem
  cost: Price
  association: { name: string; email: string; number: string } | null
  permitRequired: boolean
}

/** Returns whether something has happened by now. */
type Done = (happening: Happening) => boolean

/** Everything that has happened to a deal until today. */
export type Story = ReturnType<typeof tellStory>

/** Returns the story of a deal that begins at `createDate` (milliseconds). */
export function tellStory(random: Random, portfolio: Portfolio, createDate: number) {
  const sale = makeSale(random, portfolio)
  const { home, roof, cost, association, permitRequired } = sale
  const life = course(random, home.zone, createDate, {
    hasHoa: association !== null,
    permitRequired,
    watts: roof.watts,
  })
  const now = currentPosition(random, home.zone, life, portfolio.today)
  const done: Done = (happening) => life[happening] <= now.until
  const filled = filledRoles(done, permitRequired)
  const people = staffRoles(random, portfolio.staff, filled, portfolio.slug, home.city.state)
  const closerName = random.pickEarly(portfolio.crew.closers)
  const setterName = random.chance(0.86) ? random.pickEarly(portfolio.crew.setters) : null
  const last = lastHappening(life, now)
  const manager = people.projectManager?.firstName ?? 'office'
  const words = recordValues(home, sale.owner.firstName, roof, cost, closerName, manager)
  addSituation(words, life, now, home.zone, association?.name)
  const remarked = remarks(random, { life, now, last, words, otherAdders: cost.otherAdders })
  const install = plannedInstall(life, now, done, permitRequired)
  const followUp = activity(random, home.zone, {
    today: portfolio.today,
    since: lastInstant(life, now, last),
    nextBy: install !== null && install > portfolio.today + 2 * dayMs ? install : Infinity,
    hasNotes: remarked.notes !== null,
    isActive: now.state === 'open' || now.state === 'held',
  })
  return { ...sale, life, now, done, people, closerName, setterName, remarked, install, followUp }
}

function makeSale(random: Random, portfolio: Portfolio): Sale {
  const home = place(random, portfolio.states)
  const owner = homeowner(random)
  const roof = system(random, home)
  const cost = price(random, home, roof)
  const association = random.chance(home.hoas)
    ? { ...homeownersAssociation(random, home.landscape), number: phone(random, home.city) }
    : null
  // Some places outside city limits require neither permit nor inspection.
  const permitRequired = !random.chance(0.025)
  return { home, owner, roof, cost, association, permitRequired }
}

function filledRoles(done: Done, permitRequired: boolean): Filled {
  return {
    projectManager: done('siteSurveyRequested'),
    ixCoordinator: done('engineeringCompleted'),
    permitCoordinator: permitRequired && done('ntpRequested'),
    postInstall: done('installComplete'),
  }
}

/** Returns the install appointment; null until the house is ready, and while the deal is stopped. */
function plannedInstall(
  life: Course,
  now: CurrentPosition,
  done: Done,
  permitRequired: boolean,
): number | null {
  const isStopped = now.state === 'held' || now.state === 'cancelled'
  const isReady = done(permitRequired ? 'permitReceived' : 'ntpApproved')
  return isReady && !isStopped ? life.installedScheduled : null
}

/** Appointments and parallel steps, which do not show progress. */
const aside: ReadonlySet<string> = new Set([
  'installedScheduled',
  'reInstallScheduled',
  'expectedPermitDeliveryDate',
  'hoaApproved',
])

function lastHappening(life: Course, { until }: CurrentPosition): Happening {
  let last: Happening = 'createDate'
  for (const happening in life) {
    const at = life[happening as Happening]
    if (at <= until && at >= life[last] && !aside.has(happening)) last = happening as Happening
  }
  return last
}

function lastInstant(life: Course, now: CurrentPosition, last: Happening): number {
  return Math.max(now.entered, life[last], life.hoaApproved <= now.until ? life.hoaApproved : 0)
}
