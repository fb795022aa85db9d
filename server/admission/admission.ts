/** The caller that work belongs to. */
export interface Caller {
  kind: 'partner' | 'staff' | 'anonymous'
  /** The partner, the installer's staff, or all anonymous callers. */
  group: string
  /** The user or token within the group; the client's address for anonymous callers. */
  member: string
}

/** Limits for running and waiting work. */
export interface AdmissionLimits {
  atOnce: number
  /** If less than `atOnce` (the default), no group can take every slot. */
  perGroup?: number
  /** `perGroup` by default. */
  perMember?: number
  /** Maximum concurrent work from anonymous callers; `perGroup` by default. */
  anonymous?: number
  /** Maximum concurrent long work; `atOnce` by default. */
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

/** Work that requests admission. */
export interface Work {
  caller: Caller
  /** Whether the work may take much longer than most. */
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
  /** In service order: after being served, a member moves to the end. */
  members: Map<string, Member<W>>
}

/**
 * Decides which work runs and which waits. Groups are served round robin, and so are the members of a group, so that
 * work waits behind at most one piece of work per other caller.
 */
export class Admission<W extends Work> {
  readonly #limits: Required<AdmissionLimits>
  /** In service order. */
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

  /** Returns the amount of a member's running work. */
  runningOf({ group, member }: Caller): number {
    return this.#groups.get(group)?.members.get(member)?.running ?? 0
  }

  /** Starts the work or queues it; refuses it if the queue of its caller or of all callers is full. */
  offer(work: W): 'begins' | 'waits' | 'refused' {
    const { group, member } = this.#find(work.caller)
    // No waiting work could start instead, because freed slots are passed on right away.
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

  /** Removes waiting work. */
  withdraw(work: W): void {
    const member = this.#groups.get(work.caller.group)?.members.get(work.caller.member)
    if (!(work.isLong ? member?.long : member?.short)?.delete(work)) return
    this.#waiting--
    this.#forget(work.caller)
  }

  /** Ends running work. Returns the work that starts instead. */
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

  /** Dequeues and starts the next work. */
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

  /** Removes a caller without running or waiting work. */
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
