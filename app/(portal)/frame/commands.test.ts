import { expect, test, vi } from 'vitest'
import { type Doing, commandsFor, matchCommands } from './commands.ts'

const makeDoing = () => ({ go: vi.fn(), open: vi.fn(), setTheme: vi.fn(), choosePartner: vi.fn(), signOut: vi.fn() } satisfies Doing)
const partner = { slug: 'sunline', name: 'Sunline' }

test('only operators are offered partners, and the way back only from one', () => {
  const labels = (viewer: Parameters<typeof commandsFor>[0]) => commandsFor(viewer, makeDoing()).filter(({ group }) => group === 'Portal of').map(({ label }) => label)
  expect(labels({ role: 'admin', chosenPartner: null })).toEqual([])
  expect(labels({ role: 'operator', chosenPartner: null })).toEqual(['Choose a partner …'])
  expect(labels({ role: 'operator', chosenPartner: partner })).toEqual(['Choose a partner …', 'Back to all partners'])
})

test('each does what it says', () => {
  const doing = makeDoing()
  const run = (label: string) => commandsFor({ role: 'operator', chosenPartner: partner }, doing).find((command) => command.label === label)!.run()
  for (const label of ['Deals', 'Back to all partners', 'Theme: dark', 'Keys', 'Sign out']) run(label)
  expect(doing.go).toHaveBeenCalledWith('/deals')
  expect(doing.choosePartner).toHaveBeenCalledWith(null)
  expect(doing.setTheme).toHaveBeenCalledWith('dark')
  expect(doing.open).toHaveBeenCalledWith('keys')
  expect(doing.signOut).toHaveBeenCalledOnce()
})

test.each([
  ['', ['Deals', 'Theme: dark', 'Sign out']],
  ['de', ['Deals']],
  ['DARK', ['Theme: dark']],
  ['th da', ['Theme: dark']],
  ['out', ['Sign out']],
  ['eal', []],
  ['dark lopez', []],
])('%j finds %j', (search, labels) => {
  expect(matchCommands(['Deals', 'Theme: dark', 'Sign out'].map((label) => ({ label })), search).map(({ label }) => label)).toEqual(labels)
})
