import { House } from 'lucide-react'
import { expect, test } from 'vitest'
import { currentEntry, entriesFor } from './navigation.ts'

test.each([['/', 'Overview'], ['/deals', 'Deals'], ['/deals/42', 'Deals'], ['/deals/board', 'Board'], ['/dealsboard', undefined], ['/account', undefined]])('%s belongs to %s', (path, label) => {
  expect(currentEntry(entriesFor('member'), path)?.label).toBe(label)
})

test('each role is led to what is for all and what is for it', () => {
  const entry = { icon: House, href: '/x' }
  const all = [{ ...entry, label: 'All' }, { ...entry, label: 'Admins', roles: ['admin'] as const }, { ...entry, label: 'Managers', roles: ['admin', 'operator'] as const }]
  const labels = (role: 'member' | 'admin' | 'operator') => entriesFor(role, all).map(({ label }) => label)
  expect(labels('member')).toEqual(['All'])
  expect(labels('admin')).toEqual(['All', 'Admins', 'Managers'])
  expect(labels('operator')).toEqual(['All', 'Managers'])
})
