import { expect, test, vi } from 'vitest'
import { type CommandContext, commandsFor, matchCommands } from './commands.ts'

const makeCommandContext = () =>
  ({
    go: vi.fn(),
    open: vi.fn(),
    setTheme: vi.fn(),
    choosePartner: vi.fn(),
    signOut: vi.fn(),
  }) satisfies CommandContext
const partner = { slug: 'sunline', name: 'Sunline' }

test('only operators can select a partner and return to all partners', () => {
  const labels = (viewer: Parameters<typeof commandsFor>[0]) =>
    commandsFor(viewer, makeCommandContext())
      .filter(({ group }) => group === 'View as')
      .map(({ label }) => label)
  expect(labels({ role: 'admin', chosenPartner: null })).toEqual([])
  expect(labels({ role: 'operator', chosenPartner: null })).toEqual(['Select a partner…'])
  expect(labels({ role: 'operator', chosenPartner: partner })).toEqual([
    'Select a partner…',
    'Back to all partners',
  ])
})

test('commands open pages and views or run actions', () => {
  const context = makeCommandContext()
  const commands = commandsFor({ role: 'operator', chosenPartner: partner }, context)
  const run = (label: string) => commands.find((command) => command.label === label)!.run()
  for (const label of ['Deals', 'Late', 'Back to all partners', 'Theme: dark', 'Keyboard shortcuts'])
    run(label)
  expect(context.go.mock.calls).toEqual([['/deals?is=open'], ['/deals?is=open,late&sort=timeInCurrentStage']])
  expect(context.choosePartner).toHaveBeenCalledWith(null)
  expect(context.setTheme).toHaveBeenCalledWith('dark')
  expect(context.open).toHaveBeenCalledWith('keys')
})

test.each([
  ['', ['Deals', 'Theme: dark', 'Sign out']],
  ['de', ['Deals']],
  ['DARK', ['Theme: dark']],
  ['th da', ['Theme: dark']],
  ['out', ['Sign out']],
  ['eal', []],
  ['dark lopez', []],
])('the search text %j finds the commands %j', (search, labels) => {
  expect(
    matchCommands(
      ['Deals', 'Theme: dark', 'Sign out'].map((label) => ({ label })),
      search,
    ).map(({ label }) => label),
  ).toEqual(labels)
})
