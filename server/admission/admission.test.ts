import fc from 'fast-check'
import { expect, test, describe } from 'vitest'
import { tooMany, unavailable } from '../errors.ts'
import { type Caller, Shares, Admission, type AdmissionLimits, type Work } from './admission.ts'

interface Named extends Work {
  name: string
}

const limits = {
  atOnce: 4,
  perGroup: 3,
  perMember: 2,
  longAtOnce: 2,
  longPerGroup: 1,
  waitingPerMember: 3,
  waitingInAll: 10,
} satisfies AdmissionLimits

const caller = (group: string, member: string): Caller => ({ kind: 'partner', group, member })
const work = (name: string, isLong = false): Named => {
  const [group, member] = name.split('/') as [string, string]
  return { name, caller: caller(group, member), isLong }
}

describe('the admission of work', () => {
  test('by default, a group may use all slots, and a member all slots of its group', () => {
    const waiting = { waitingPerMember: 9, waitingInAll: 9 }
    const begun = (overrides: Partial<AdmissionLimits>, isLong = false) => {
      const admission = new Admission<Named>({ atOnce: 4, ...waiting, ...overrides })
      for (let each = 0; each < 6; each++) admission.offer(work(`A/ana/${each}`, isLong))
      return admission.running
    }
    expect([begun({}), begun({}, true)]).toEqual([4, 4])
    expect([begun({ perGroup: 3 }), begun({ perGroup: 3 }, true)]).toEqual([3, 3])
    expect(begun({ perGroup: 3, perMember: 2, longAtOnce: 1 }, true)).toBe(1)
  })

  test('runs work while slots are free, then queues it, then rejects it', () => {
    const admission = new Admission<Named>(limits)
    const offered = Array.from({ length: 6 }, (_, each) => admission.offer(work(`A/ana/${each}`)))
    expect(offered).toEqual(['begins', 'begins', 'waits', 'waits', 'waits', 'refused'])
    expect([admission.running, admission.waiting]).toEqual([2, 3])
  })

  test('keeps a slot for other groups, however many members of one group compete', () => {
    const admission = new Admission<Named>(limits)
    for (let index = 0; index < 8; index++) admission.offer(work(`A/member ${index}`))
    expect(admission.running).toBe(limits.perGroup)
    expect(admission.offer(work('B/bo'))).toBe('begins')
  })

  test('serves groups round robin, and members of a group round robin', () => {
    const admission = new Admission<Named>({ ...limits, atOnce: 1, perGroup: 1, perMember: 1 })
    const first = work('A/ana/1')
    admission.offer(first)
    for (const name of ['A/ana/2', 'A/ana/3', 'A/al/1', 'B/bo/1', 'B/bo/2', 'C/cy/1'])
      admission.offer(work(name))
    const served: string[] = []
    for (let last: Named | undefined = first; last !== undefined;) {
      ;[last] = admission.end(last)
      if (last !== undefined) served.push(last.name)
    }
    expect(served).toEqual(['A/ana/2', 'B/bo/1', 'C/cy/1', 'A/al/1', 'B/bo/2', 'A/ana/3'])
  })

  test('keeps slots for short work while long work runs and waits', () => {
    const admission = new Admission<Named>(limits)
    const long = work('A/ana/1', true)
    expect(admission.offer(long)).toBe('begins')
    expect(admission.offer(work('A/al/2', true))).toBe('waits')
    expect(admission.offer(work('B/bo/1', true))).toBe('begins')
    expect(admission.offer(work('C/cy/1', true))).toBe('waits')
    expect(admission.offer(work('C/cy/2'))).toBe('begins')
    expect(admission.end(long).map(({ name }) => name)).toEqual(['A/al/2'])
  })

  test("lets a caller's short work pass its own waiting long work", () => {
    const admission = new Admission<Named>({ ...limits, atOnce: 2, perGroup: 2 })
    const [running, long] = [work('A/ana/1'), work('A/ana/2', true)]
    admission.offer(running)
    admission.offer(long)
    admission.offer(work('A/ana/3', true))
    admission.offer(work('A/ana/4'))
    expect(admission.end(running).map(({ name }) => name)).toEqual(['A/ana/4'])
  })

  test('drops withdrawn work and starts the next', () => {
    const admission = new Admission<Named>({ ...limits, atOnce: 1, perGroup: 1, perMember: 1 })
    const [running, withdrawn, next] = [work('A/ana/1'), work('A/ana/2'), work('A/ana/3')]
    for (const offered of [running, withdrawn, next]) admission.offer(offered)
    admission.withdraw(withdrawn)
    admission.withdraw(withdrawn)
    expect(admission.end(running)).toEqual([next])
    expect(admission.waiting).toBe(0)
  })

  test('rejects work when too much is waiting in total', () => {
    const admission = new Admission<Named>({ ...limits, perGroup: 1, waitingInAll: 2 })
    const offered = ['A/1', 'A/2', 'B/1', 'B/2', 'A/3', 'C/1', 'C/2'].map((name) =>
      admission.offer(work(name)),
    )
    expect(offered).toEqual(['begins', 'waits', 'begins', 'waits', 'refused', 'begins', 'refused'])
  })
})

test('never exceeds a limit, leaves no usable slot free, and loses no work', () => {
  const step = fc.record({
    group: fc.constantFrom('A', 'B', 'C'),
    member: fc.constantFrom('1', '2', '3'),
    isLong: fc.boolean(),
    act: fc.constantFrom('offer', 'offer', 'end', 'withdraw'),
    pick: fc.nat(20),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const admission = new Admission<Named>(limits)
      const running: Named[] = []
      const waiting: Named[] = []
      for (const { group, member, isLong, act, pick } of steps) {
        if (act === 'offer') {
          const offered = work(`${group}/${member}`, isLong)
          const answer = admission.offer(offered)
          if (answer === 'begins') running.push(offered)
          if (answer === 'waits') waiting.push(offered)
        } else if (act === 'end' && running.length > 0) {
          const [ended] = running.splice(pick % running.length, 1)
          for (const begun of admission.end(ended!)) {
            expect(waiting).toContain(begun)
            waiting.splice(waiting.indexOf(begun), 1)
            running.push(begun)
          }
        } else if (act === 'withdraw' && waiting.length > 0) {
          const [withdrawn] = waiting.splice(pick % waiting.length, 1)
          admission.withdraw(withdrawn!)
        }
        expect([admission.running, admission.waiting]).toEqual([running.length, waiting.length])
        expect(running.length).toBeLessThanOrEqual(limits.atOnce)
        expect(running.filter((each) => each.isLong).length).toBeLessThanOrEqual(limits.longAtOnce)
        const runningIn = (of: string, isOnlyLong = false) =>
          running.filter((each) => each.name.startsWith(of) && (each.isLong || !isOnlyLong)).length
        for (const group of ['A', 'B', 'C']) expect(runningIn(group)).toBeLessThanOrEqual(limits.perGroup)
        for (const { name, caller: of, isLong: isWaitingLong } of waiting) {
          const couldBegin =
            running.length < limits.atOnce &&
            runningIn(of.group) < limits.perGroup &&
            runningIn(name) < limits.perMember &&
            (!isWaitingLong ||
              (runningIn('', true) < limits.longAtOnce && runningIn(of.group, true) < limits.longPerGroup))
          expect(couldBegin).toBe(false)
        }
      }
      while (running.length > 0) running.push(...admission.end(running.shift()!))
      expect([admission.running, admission.waiting]).toEqual([0, 0])
    }),
  )
})

test('runs less work of anonymous callers if their limit is lower', () => {
  const admission = new Admission<Named>({ ...limits, anonymous: 1 })
  const anonymous = (member: string): Named => ({
    ...work(`anonymous/${member}`),
    caller: { kind: 'anonymous', group: 'anonymous', member },
  })
  expect(
    [anonymous('203.0.113.1'), anonymous('203.0.113.2'), work('A/ana')].map((each) => admission.offer(each)),
  ).toEqual(['begins', 'waits', 'begins'])
})

const refusals = { ofMember: () => tooMany('Too many', 10), ofAll: unavailable }

test('a member gets one share, a group half of the shares, and others the rest', () => {
  const shares = new Shares({ inAll: 4, perGroup: 2, perMember: 1 })
  const take = (group: string, member: string) => shares.take(caller(group, member), refusals)
  const release = take('A', 'ana')
  expect(() => take('A', 'ana')).toThrow('Too many')
  take('A', 'al')
  expect(() => take('A', 'amy')).toThrow('cannot answer')
  take('B', 'bo')
  take('C', 'cy')
  expect(() => take('D', 'di')).toThrow('cannot answer')
  release()
  release()
  expect(shares.count).toBe(3)
  take('D', 'di')
  expect(() => take('E', 'eve')).toThrow('cannot answer')
})
