import { setTimeout as sleep } from 'node:timers/promises'
import { minuteMs } from '#server/values/units.ts'
import {
  type AttackedSystem,
  type CallKind,
  type Visits,
  callOnce,
  startAttackedSystem,
  visit,
} from './attacked-system.ts'
import type { PlannedAttack } from './attacks.ts'
import { percentile95 as p95 } from './drive.ts'
import { type Site, once } from './site.ts'

const kinds: CallKind[] = ['list', 'export', 'file']

/** Results of one attack. */
interface Outcome {
  visits: Visits
  risenMb: number
  /** Seconds until the mail arrived; 0 if no mail was measured. */
  mailS: number
  crmCallsPerMin: number
  /** True if the CRM was polled during the attack. */
  isCrmRead: boolean
}

const restS = 4
/** Duration of an attack before the other partner's calls begin. */
const leadMs = 1000
const sampleEveryMs = 1000
/** Maximum time for a system to become idle. */
const restTimeoutMs = 15_000

/** Returns the measurements of another partner's calls during attacks. */
export function measureNeighbours({ stack, size, say }: Site) {
  const system = once(() => {
    say('Starting a system with an attacking partner and another one')
    return startAttackedSystem(stack, size.partyDeals)
  })

  const rest = once(async () => {
    const { calls } = await system()
    // Warm-up: the first calls load code and query plans, and open connections.
    await visit(calls, kinds, restS / 2)
    return visit(calls, kinds, restS)
  })

  const outcomes = once(async () => {
    const outcomeByName = new Map<string, Outcome>()
    const attacked = await system()
    const atRest = await rest()
    for (const [name, planned] of Object.entries(attacked.attacks)) {
      say(`Calling while ${planned.about}`)
      const outcome = await attack(planned, attacked, size.attackS, name === 'files')
      say(explain(outcome))
      outcomeByName.set(name, outcome)
      await comeToRest(attacked, p95(atRest.list!.ms))
    }
    return outcomeByName
  })
  const worst = async (value: (outcome: Outcome) => number) =>
    Math.max(...[...(await outcomes()).values()].map(value))

  return {
    async neighbourP95Ratio() {
      const atRest = await rest()
      return worst(({ visits }) =>
        Math.max(...ofKinds(visits, ({ ms }, kind) => p95(ms) / p95(atRest[kind]!.ms))),
      )
    },
    async neighbourRefused() {
      let refused = 0
      for (const { visits, isCrmRead } of (await outcomes()).values()) {
        for (const count of ofKinds(visits, (called) => called.refused.length)) refused += count
        // A missing poll of the CRM counts as a refused call.
        if (!isCrmRead) refused++
      }
      return refused
    },
    neighbourMailS: () => worst(({ mailS }) => mailS),
    neighbourRssMb: () => worst(({ risenMb }) => risenMb),
    hubspotCallsPerMin: async () => (await outcomes()).get('files')!.crmCallsPerMin,
  }
}

const ofKinds = <T>(visits: Visits, value: (called: Required<Visits>[CallKind], kind: CallKind) => T): T[] =>
  kinds.flatMap((kind) => (visits[kind] === undefined ? [] : [value(visits[kind], kind)]))

/** Runs an attack while the other partner calls for at most `maxS` seconds. */
async function attack(
  { beside, seconds, isMailed, begin }: PlannedAttack,
  attacked: AttackedSystem,
  maxS: number,
  isOfCrm: boolean,
): Promise<Outcome> {
  await using attacking = new AsyncDisposableStack()
  const [callsBefore, restMb, began] = [crmCalls(attacked), await attacked.ours.residentMb(), new Date()]
  if (isOfCrm) await attacked.pollCrm()
  await begin(attacking)
  await sleep(leadMs)
  let peakMb = 0
  const sample = async () => {
    peakMb = Math.max(peakMb, await attacked.ours.residentMb())
  }
  // Ignore errors: if the process has ended, the failing calls reveal that.
  const timer = setInterval(() => void sample().catch(() => {}), sampleEveryMs)
  attacking.defer(() => clearInterval(timer))
  const [visits, mailS] = await Promise.all([
    visit(attacked.calls, beside === undefined ? ['list'] : ['list', beside], Math.min(seconds, maxS)),
    isMailed ? attacked.mailS() : 0,
  ])
  return {
    visits,
    risenMb: peakMb - restMb,
    mailS,
    crmCallsPerMin: ((crmCalls(attacked) - callsBefore) * minuteMs) / (Date.now() - began.getTime()),
    isCrmRead: !isOfCrm || (await attacked.isCrmReadSince(began)),
  }
}

/** Number of calls that count against the CRM's quota. Signed URLs do not count. */
const crmCalls = ({ crm }: AttackedSystem) =>
  crm.requests.filter((path) => !path.startsWith('/signed/')).length

/** Formats the results of an attack. */
const explain = ({ visits, ...others }: Outcome) =>
  JSON.stringify({
    ...ofKinds(visits, ({ ms, refused }, kind) => ({ kind, p95Ms: Math.round(p95(ms)), refused })),
    ...others,
  })

/** Waits until lists are as fast as before the attack, or else restarts the system. */
async function comeToRest({ calls, restart }: AttackedSystem, restMs: number): Promise<void> {
  const deadline = performance.now() + restTimeoutMs
  let inRow = 0
  while (inRow < 3) {
    const began = performance.now()
    const status = await callOnce(calls.list)
    inRow = status === 200 && performance.now() - began < 3 * restMs ? inRow + 1 : 0
    if (performance.now() > deadline) return restart()
  }
}
