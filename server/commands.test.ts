import { expect, test } from 'vitest'
import { runOperator } from '#e2e/operator.ts'
import { printRows, type Runner } from './runtime/command.ts'
import type { Services } from './runtime/services.ts'

// Help and unknown commands do not use a database.
const operator = (...words: string[]) => runOperator({} as Services, words)

type Help = readonly [name: string, help: Awaited<ReturnType<typeof operator>>]

/** Returns the help of a command and of all its subcommands. */
async function helpOf(name: string): Promise<Help[]> {
  const help = await operator(...name.split(' ').filter(Boolean), '--help')
  const [, listed = ''] = help.stdout.split('\nCommands:\n')
  const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)]
    .map(([, below]) => below!)
    .filter((below) => below !== 'help')
  const below = await Promise.all(names.map((child) => helpOf(`${name} ${child}`.trim())))
  return [[name, help], ...below.flat()]
}

test('every command has help with its options', async () => {
  const helps = await helpOf('')
  expect(helps.length).toBeGreaterThan(50)
  for (const [name, { code, stdout, stderr }] of helps) {
    expect({ code, stderr }, name).toEqual({ code: 0, stderr: '' })
    expect(stdout, name).toContain(`Usage: ${`operator ${name}`.trim()}`)
    if (/^(?:import|demo|\w+ \w+)$/.test(name)) expect(stdout, name).toMatch(/^ +--json +print JSON$/m)
  }
  const importHelp = helps.find(([name]) => name === 'import')![1].stdout
  for (const option of ['--partner <slug>', '--dry-run', '--no-events']) expect(importHelp).toContain(option)
})

test('rejects unknown commands on standard error', async () => {
  for (const words of [
    ['partners'],
    ['import'],
    ['token', 'create', '--nmae', 'x'],
    ['partner', 'list', 'more'],
  ]) {
    const { code, stdout, stderr } = await operator(...words)
    expect({ code, stdout }, words.join(' ')).toEqual({ code: 1, stdout: '' })
    expect(stderr, words.join(' ')).toMatch(/^error: /)
  }
  const { code, stdout, stderr } = await operator()
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('Usage: operator')
})

test('prints column titles on a terminal, but not into a pipe', async () => {
  const runner = (isOutputTerminal: boolean) => {
    const lines: string[] = []
    const print = (line: string) => lines.push(line)
    printRows(
      { print, isOutputTerminal } as unknown as Runner,
      rows,
      false,
      ['id', 'name'],
      ({ id, name }) => [id, name],
    )
    return lines
  }
  const rows = [
    { id: 1, name: 'Sunline' },
    { id: 20, name: null },
  ]
  expect(runner(false)).toEqual(['1\tSunline', '20\t-'])
  expect(runner(true)).toEqual(['ID  NAME', '1   Sunline', '20  -'])
  rows.length = 0
  expect([runner(false), runner(true)]).toEqual([[], ['none']])
})
