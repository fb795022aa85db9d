import { expect, test, vi } from 'vitest'
import { type AuditContext, commandsFor, matchCommands } from './commands.ts'

const makeAuditContext = () =>
  ({
    go: vi.fn(),
    open: vi.fn(),
    setTheme: vi.fn(),
    choosePartner: vi.fn(),
    signOut: vi.fn(),
  }) satisfies AuditContext
const partner = { slug: 'sunline', name: 'Sunline' }

test('only operators are offered partners, and the way back only from one', () => {
  const labels = (viewer: Parameters<typeof commandsFor>[0]) =>
    commandsFor(viewer, makeAuditContext())
      .filter(({ group }) => group === 'Portal of')
      .map(({ label }) => label)
  expect(labels({ role: 'admin', chosenPartner: null })).toEqual([])
  expect(labels({ role: 'operator', chosenPartner: null })).toEqual(['Choose a partner…'])
  expect(labels({ role: 'operator', chosenPartner: partner })).toEqual([
    'Choose a partner…',
    'Back to all partners',
  ])
})

test('each does what it says', () => {
  const context = makeAuditContext()
  const run = (label: string) =>
    commandsFor({ role: 'operator', chosenPartner: partner }, context)
      .find((command) => command.label === label)!
      .run()
  for (const label of ['Deals', 'Back to all partners', 'Theme: dark', 'Keys', 'Sign out']) run(label)
  expect(context.go).toHaveBeenCalledWith('/deals')
  expect(context.choosePartner).toHaveBeenCalledWith(null)
  expect(context.setTheme).toHaveBeenCalledWith('dark')
  expect(context.open).toHaveBeenCalledWith('keys')
  expect(context.signOut).toHaveBeenCalledOnce()
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
  expect(
    matchCommands(
      ['Deals', 'Theme: dark', 'Sign out'].map((label) => ({ label })),
      search,
    ).map(({ label }) => label),
  ).toEqual(labels)
})
