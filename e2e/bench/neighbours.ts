import { setTimeout as sleep } from 'node:timers/promises'
import { minuteMs } from '#server/values/units.ts'
import { type AttackedSystem, type AttackName, startAttackedSystem } from './attacked-system.ts'
import { percentile95 as p95 } from './drive.ts'
import type { CallKind, Visits } from './neighbour.ts'
import { type Site, once } from './site.ts'

/** The attacks, and how long another partner calls during them: lists and other paths that may suffer. */
const attacks: Record<AttackName, { about: string; seconds: number; beside?: CallKind; isMailed?: true }> = {
  links: {
    about: 'a stranger with 100 connections asks for links of many addresses and of one, ten to a batch',
    seconds: 60,
  },
  passwords: { about: 'a stranger with 100 connections guesses passwords', seconds: 6 },
  slices: { about: '280 connections of a member send one byte of a file', seconds: 4 },
  downloads: {
    about: 'a member asks for a large file over 128 connections and reads nothing',
    seconds: 10,
    beside: 'file',
  },
  bodies: { about: '280 connections of two read-only tokens send one byte of a body', seconds: 4 },
  boards: { about: 'one member asks for 300 boards at once', seconds: 6 },
  exports: {
    about: 'two people of one partner hold two exports open and read nothing',
    seconds: 4,
    beside: 'export',
  },
  spellings: { about: 'a stranger asks for odd spellings of pages over 100 connections', seconds: 6 },
  threads: { about: 'a member asks for 30 batches of long questions and reads none', seconds: 10 },
  pushes: {
    about: 'six deals change that a member with 20 push services that never answer follows',
    seconds: 6,
    isMailed: true,
  },
  questions: { about: 'a member sends messages without end', seconds: 6, isMailed: true },
  uploads: { about: 'a member begins uploads of 256 MB without end', seconds: 6 },
  files: {
    about: 'a member, and whoever has a preview link, ask for linked files of HubSpot without end',
    // Including the lead of ten seconds, over which HubSpot counts its calls.
    seconds: 9,
    beside: 'file',
  },
}

const attackNames = Object.keys(attacks) as AttackName[]
const kinds: CallKind[] = ['list', 'export', 'file']

/** The results of an attack. */
interface Outcome {
  visits: Visits
  risenMb: number
  /** 0 without a mail. */
  mailS: number
  crmCallsPerMin: number
  /** Whether the CRM was still read. */
  isCrmRead: boolean
}

const restS = 4
/** How long an attack lasts before the other partner calls. */
const leadMs = 1000
const sampleEveryMs = 1000
/** How long a system may take to become idle. */
const restTimeoutMs = 15_000

export function measureNeighbours({ stack, size, say }: Site) {
  const system = once(() => {
    say('Starting a system with one partner that attacks and another one that calls')
    return startAttackedSystem(stack, size.partyDeals)
  })

  const rest = once(async () => {
    const { visit } = await system()
    // Not counted: the first calls load code, plans and connections.
    await visit(kinds, restS / 2)
    return visit(kinds, restS)
  })

  const outcomes = once(async () => {
    const found = {} as Record<AttackName, Outcome>
    for (const name of attackNames)
      found[name] = await attack(name, await system(), await rest(), size.attackS, say)
    return found
  })
  const all = async () => Object.values(await outcomes())

  return {
    // For the attack and kind of calls that suffers most.
    async neighbourP95Ratio() {
      const atRest = await rest()
      const ratios = (await all()).flatMap(({ visits }) =>
        Object.entries(visits).map(([kind, { ms }]) => p95(ms) / p95(atRest[kind]!.ms)),
      )
      return Math.max(...ratios)
    },
    async neighbourRefused() {
      const refused = (await all()).flatMap(({ visits, isCrmRead }) => [
        ...Object.values(visits).map((called) => called.refused.length),
        // A source that is not read in that time.
        isCrmRead ? 0 : 1,
      ])
      return refused.reduce((sum, count) => sum + count, 0)
    },
    neighbourMailS: async () => Math.max(...(await all()).map(({ mailS }) => mailS)),
    neighbourRssMb: async () => Math.max(...(await all()).map(({ risenMb }) => risenMb)),
    hubspotCallsPerMin: async () => (await outcomes()).files.crmCallsPerMin,
  }
}

/** Runs an attack while the other partner calls, and waits until the system is as before. */
async function attack(
  name: AttackName,
  attacked: AttackedSystem,
  atRest: Visits,
  maxS: number,
  say: Site['say'],
): Promise<Outcome> {
  const { about, beside, seconds, isMailed } = attacks[name]
  say(`Calling while ${about}`)
  await using attacking = new AsyncDisposableStack()
  const [callsBefore, restMb, began] = [crmCalls(attacked), await attacked.ours.residentMb(), new Date()]
  await attacked.begin(name, attacking)
  await sleep(leadMs)
  const memory = watchMemory(attacked)
  const [visits, mailS] = await Promise.all([
    attacked.visit(beside === undefined ? ['list'] : ['list', beside], Math.min(seconds, maxS)),
    isMailed ? attacked.mailS() : 0,
  ])
  const outcome: Outcome = {
    visits,
    risenMb: memory.stop() - restMb,
    mailS,
    crmCallsPerMin: ((crmCalls(attacked) - callsBefore) * minuteMs) / (Date.now() - began.getTime()),
    isCrmRead: name !== 'files' || (await attacked.isCrmReadSince(began)),
  }
  await attacking.disposeAsync()
  for (const line of explain(outcome, atRest)) say(line)
  await comeToRest(attacked, p95(atRest['list']!.ms))
  return outcome
}

/** Calls counted against the CRM's quota; signed URLs are not. */
const crmCalls = ({ crm }: AttackedSystem) =>
  crm.requests.filter((path) => !path.startsWith('/signed/')).length

/** Returns a function that stops the measurement and returns the peak resident memory in MB. */
function watchMemory({ ours }: AttackedSystem): { stop(): number } {
  let peakMb = 0
  const sample = async () => {
    peakMb = Math.max(peakMb, await ours.residentMb())
  }
  // The memory of an ended process is unreadable, but its failing calls show the problem.
  const timer = setInterval(() => void sample().catch(() => {}), sampleEveryMs)
  return {
    stop() {
      clearInterval(timer)
      return peakMb
    },
  }
}

/** Returns the results of an attack as text. */
function explain({ visits, risenMb, mailS, crmCallsPerMin, isCrmRead }: Outcome, atRest: Visits): string[] {
  const lines = Object.entries(visits).map(([kind, { ms, refused }]) => {
    const why = refused.length === 0 ? '' : ` (${[...new Set(refused)].join(', ')})`
    const times = `p95 ${Math.round(p95(ms))} ms, at rest ${Math.round(p95(atRest[kind]!.ms))} ms`
    return `${kind}: ${refused.length} of ${ms.length} refused${why}, ${times}`
  })
  const crm = `${Math.round(crmCallsPerMin)} calls of the CRM a minute${isCrmRead ? '' : ', which was not followed meanwhile'}`
  return [...lines, `${Math.round(risenMb)} MB more, ${mailS.toFixed(1)} s until a mail, ${crm}`]
}

/** Waits until lists are as fast as at rest, or restarts the system. */
async function comeToRest(attacked: AttackedSystem, restMs: number): Promise<void> {
  const { list } = attacked.calls
  const deadline = performance.now() + restTimeoutMs
  let inRow = 0
  while (inRow < 3) {
    const began = performance.now()
    const status = await fetch(list.urls[0]!, {
      headers: list.headers,
      signal: AbortSignal.timeout(restTimeoutMs),
    }).then(
      async (response) => (await response.arrayBuffer(), response.status),
      () => 0,
    )
    inRow = status === 200 && performance.now() - began < 3 * restMs ? inRow + 1 : 0
    if (performance.now() > deadline) return attacked.restart()
  }
}
