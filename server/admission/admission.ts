import type { ApiError } from '../errors.ts'
/** The caller that work is counted against. */
export interface Caller {
  kind: 'partner' | 'staff' | 'anonymous'
  /** The partner, the installer's staff, or all anonymous callers. */
  group: string
  /** The user or token within the group; for anonymous callers, the client's IP address. */
  member: string
}

export interface AdmissionLimits {
  atOnce: number
  /** Defaults to `atOnce`. A lower limit keeps a group from taking every slot. */
  perGroup?: number
  /** Defaults to `perGroup`. */
  perMember?: number
  /** Maximum concurrent work of anonymous callers. Defaults to `perGroup`. */
  anonymous?: number
  /** Maximum concurrent long work. Defaults to `atOnce`. */
  longAtOnce?: number
  longPerGroup?: number
  waitingPerMember: number
  waitingInAll: number
}

function withDefaults(limits: AdmissionLimits): Required<AdmissionLimits> {
  const { atOnce, perGroup = atOnce } = limits
  return {
    perGroup,
    perMember: perGroup,
    anonymous: perGroup,
    longAtOnce: atOnce,
    longPerGroup: perGroup,
    ...limits,
  }
}

export interface Work {
  caller: Caller
  isLong: boolean
}

interface Member<W> {
  running: number
  short: Set<W>
  long: Set<W>
}

interface Group<W> {
  runningMax: number
  running: number
  longRunning: number
  /** Sorted by next turn: a member that has been served moves to the end. */
  members: Map<string, Member<W>>
}

/**
 * Decides which work runs and which work waits. Groups take turns, and so do the members of a group, so every
 * caller waits for at most one item of each other caller.
 */
export class Admission<W extends Work> {
  readonly #limits: Required<AdmissionLimits>
  /** Sorted by next turn. */
  readonly #groups = new Map<string, Group<W>>()
  #running = 0
  #longRunning = 0
  #waiting = 0

  constructor(limits: AdmissionLimits) {
    this.#limits = withDefaults(limits)
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting
  }

  runningOf({ group, member }: Caller): number {
    return this.#groups.get(group)?.members.get(member)?.running ?? 0
  }

  /** Starts or queues the work. Refuses it if the queue of the caller, or the total queue, is full. */
  offer(work: W): 'begins' | 'waits' | 'refused' {
    const { group, member } = this.#find(work.caller)
    // There is no waiting work that could start instead, because a freed slot is passed on immediately.
    if (this.#mayBegin(group, member, work.isLong)) {
      this.#begin(group, member, work.isLong)
      return 'begins'
    }
    const isFull = member.short.size + member.long.size >= this.#limits.waitingPerMember
    if (isFull || this.#waiting >= this.#limits.waitingInAll) {
      this.#forget(work.caller)
      return 'refused'
    }
    ;(work.isLong ? member.long : member.short).add(work)
    this.#waiting++
    return 'waits'
  }

  /** Removes the work from the queue; does nothing if it is not waiting. */
  withdraw(work: W): void {
    const member = this.#groups.get(work.caller.group)?.members.get(work.caller.member)
    if (!(work.isLong ? member?.long : member?.short)?.delete(work)) return
    this.#waiting--
    this.#forget(work.caller)
  }

  /** Ends running work. Returns the waiting work that starts instead. */
  end({ caller, isLong }: Work): W[] {
    const { group, member } = this.#find(caller)
    this.#running--
    group.running--
    member.running--
    if (isLong) {
      this.#longRunning--
      group.longRunning--
    }
    this.#forget(caller)
    const begun: W[] = []
    for (let next = this.#next(); next !== undefined; next = this.#next()) begun.push(next)
    return begun
  }

  #next(): W | undefined {
    if (this.#waiting === 0 || this.#running >= this.#limits.atOnce) return undefined
    for (const [groupName, group] of this.#groups)
      for (const [memberName, member] of group.members)
        for (const queue of [member.short, member.long]) {
          const [work] = queue
          if (work === undefined || !this.#mayBegin(group, member, work.isLong)) continue
          queue.delete(work)
          this.#waiting--
          this.#begin(group, member, work.isLong)
          moveToEnd(group.members, memberName, member)
          moveToEnd(this.#groups, groupName, group)
          return work
        }
    return undefined
  }

  #mayBegin(group: Group<W>, member: Member<W>, isLong: boolean): boolean {
    const { atOnce, perMember, longAtOnce, longPerGroup } = this.#limits
    if (isLong && (this.#longRunning >= longAtOnce || group.longRunning >= longPerGroup)) return false
    return this.#running < atOnce && group.running < group.runningMax && member.running < perMember
  }

  #begin(group: Group<W>, member: Member<W>, isLong: boolean): void {
    this.#running++
    group.running++
    member.running++
    if (!isLong) return
    this.#longRunning++
    group.longRunning++
  }

  #find(caller: Caller): { group: Group<W>; member: Member<W> } {
    let group = this.#groups.get(caller.group)
    if (group === undefined) {
      const { perGroup, anonymous } = this.#limits
      const runningMax = caller.kind === 'anonymous' ? anonymous : perGroup
      group = { runningMax, running: 0, longRunning: 0, members: new Map() }
      this.#groups.set(caller.group, group)
    }
    let member = group.members.get(caller.member)
    if (member === undefined) {
      member = { running: 0, short: new Set(), long: new Set() }
      group.members.set(caller.member, member)
    }
    return { group, member }
  }

  #forget(caller: Caller): void {
    const group = this.#groups.get(caller.group)
    const member = group?.members.get(caller.member)
    if (group === undefined || member === undefined) return
    if (member.running > 0 || member.short.size > 0 || member.long.size > 0) return
    group.members.delete(caller.member)
    if (group.members.size === 0) this.#groups.delete(caller.group)
  }
}

function moveToEnd<V>(map: Map<string, V>, name: string, value: V): void {
  map.delete(name)
  map.set(name, value)
}

/** Limits for resources that stay open. */
interface ShareLimits {
  inAll: number
  perGroup: number
  perMember: number
}

/** Limits how many resources callers keep open, such as exports: per member, per group and in total. */
export class Shares {
  readonly limits: ShareLimits
  #total = 0
  readonly #taken = new Map<string, number>()

  constructor(limits: ShareLimits) {
    this.limits = limits
  }

  get count(): number {
    return this.#total
  }

  /**
   * Takes a share of the limit. Returns a function that releases the share.
   * @throws ApiError for the member's limit or any other
   */
  take({ group, member }: Caller, tooMany: { ofMember: () => ApiError; ofAll: () => ApiError }): () => void {
    const { inAll, perGroup, perMember } = this.limits
    const keys = [group, `${group} ${member}`] as const
    if (this.#count(keys[1]) >= perMember) throw tooMany.ofMember()
    if (this.#total >= inAll || this.#count(keys[0]) >= perGroup) throw tooMany.ofAll()
    this.#total++
    for (const key of keys) this.#taken.set(key, this.#count(key) + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#total--
      for (const key of keys) {
        const left = this.#count(key) - 1
        if (left > 0) this.#taken.set(key, left)
        else this.#taken.delete(key)
      }
    }
  }

  #count(key: string): number {
    return this.#taken.get(key) ?? 0
  }
}
