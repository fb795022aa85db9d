import { expect, test } from 'vitest'
import { tooMany, unavailable } from '../errors.ts'
import type { Caller } from './admission.ts'
import { Shares } from './shares.ts'

const caller = (group: string, member: string): Caller => ({ kind: 'partner', group, member })
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
