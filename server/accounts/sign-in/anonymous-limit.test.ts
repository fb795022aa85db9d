import { describe, expect, test } from 'vitest'
import { AnonymousLimit, anonymousRates, networkOf, networksMax } from './anonymous-limit.ts'

const { network, whole } = anonymousRates['link-request']

describe('anonymous work', () => {
  test('is allowed up to the burst, then at the rate of its network', () => {
    const limit = new AnonymousLimit()
    const ask = (nowMs: number) => limit.countWork('link-request', '203.0.113.9', nowMs)
    const waits = Array.from({ length: network.burst + whole.burst }, () => ask(1000))
    expect(waits).toEqual([
      ...Array(network.burst).fill(0),
      ...Array(whole.burst).fill(network.everyMs / 1000),
    ])
    expect(ask(1000 + network.everyMs - 1)).toBe(1)
    expect(ask(1000 + network.everyMs)).toBe(0)
    expect(ask(1000 + network.everyMs)).toBeGreaterThan(0)
    // Rejected calls do not count in the total, and affect no other network or kind of work.
    expect(limit.countWork('link-request', '203.0.113.10', 1000)).toBe(0)
    expect(limit.countWork('sign-in', '203.0.113.9', 1000)).toBe(0)
  })

  test('is limited in total across all networks', () => {
    const limit = new AnonymousLimit()
    const ask = (index: number, nowMs = 0) => limit.countWork('link-request', `host ${index}`, nowMs)
    const allowed = Array.from({ length: 10 * whole.burst }, (_, index) => ask(index)).filter(
      (wait) => wait === 0,
    )
    expect(allowed).toHaveLength(whole.burst)
    expect(ask(99_999, whole.everyMs)).toBe(0)
    expect(ask(99_998, whole.everyMs)).toBe(1)
  })

  test('is tracked for a limited number of networks, each until its allowance is full again', () => {
    const limit = new AnonymousLimit()
    for (let index = 0; index < networksMax + 100; index++)
      expect(limit.countWork('sign-in', `host ${index}`, index * 20)).toBe(0)
    expect(limit.networkCount('sign-in')).toBe(networksMax)
    for (const { network, whole } of Object.values(anonymousRates))
      expect(networksMax * whole.everyMs).toBeGreaterThanOrEqual(network.burst * network.everyMs)
  })
})

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::', '0:0:0:0'],
  ['', ''],
])('the network of %s is %s', (ipAddress, of) => {
  expect(networkOf(ipAddress)).toBe(of)
})
