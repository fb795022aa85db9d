import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { makeProgram } from '#server/commands.ts'
import { valueFields } from '#server/deals/deal.ts'
import type { Runner } from '#server/runtime/command.ts'
import { readConfig } from '#server/runtime/env.ts'
import { variables } from '#server/runtime/variables.ts'
import { type Filter, filters, markNames, missableNumbers } from '#server/search/filters.ts'

// Each of these pages ends with a generated section. To update the sections, run `vitest run -u` on this
// file.

/** Expects `text` after the marker in the page. */
async function expectGenerated(page: string, text: string): Promise<void> {
  const path = join(import.meta.dirname, page, 'page.mdx')
  const [head, marker] = readFileSync(path, 'utf8').split(/(\{\/\* Generated [^\n]*\n)/)
  await expect(`${head}${marker}\n${text}`).toMatchFileSnapshot(path)
}

/** Escapes text so that Markdown displays it unchanged. */
const plain = (text: string) => text.replaceAll(/[<{|*_]/g, '\\$&')

const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``

test('documents every environment variable', () =>
  expectGenerated(
    'configure',
    [
      '| variable | default | meaning |',
      '|---|---|---|',
      ...Object.entries(variables).map(
        ([name, { default: value, meaning }]) => `| \`${name}\` | ${value} | ${meaning} |`,
      ),
      '',
    ].join('\n'),
  ))

test.each(Object.entries(variables).filter(([, { default: value }]) => /^`[^`]*`$/.test(value)))(
  '%s has the documented default',
  (name, { default: value }) => expect(readConfig({ [name]: value.slice(1, -1) })).toEqual(readConfig({})),
)

const fieldsOf = {
  time: 'dates of a deal',
  flag: 'yes-or-no fields',
  role: 'fields of people',
  missable: `dates of a deal, ${missableNumbers.map(code).join(', ')}`,
}

/** Returns the documentation of a filter: its parameters, meaning and values. */
function describeFilter([name, filter]: [string, Filter]): string[] {
  switch (filter.kind) {
    case 'search':
      return [code(name), 'search', 'beginnings of words']
    case 'texts':
      return [code(name), filter.label, 'a text; repeat the parameter for more; empty means "not set"']
    case 'names': {
      const { names, label, value, narrows } = filter
      const known = typeof names === 'string' ? fieldsOf[names] : Object.keys(names).map(code).join(', ')
      const says = value && `${typeof names === 'string' ? 'date' : 'step'}: ${value}`
      return [code(name), label ?? says ?? `${name}, with ${code(narrows!)}`, known]
    }
    case 'flags':
      return [code(name), `flag: ${filter.value}`, fieldsOf.flag]
    case 'marks':
      return [code(name), filter.label, markNames.map(code).join(', ')]
    case 'waits':
      return [code(name), filter.label, `a step and the fewest days in it: ${code('permit:24,install:0')}`]
    case 'range':
      return [code(name), `${filter.title} (${filter.unit})`, code('5..10')]
    case 'area':
      return [code(name), filter.label, code('west,south,east,north')]
    case 'values':
      return [valueFields.map(code).join(', '), 'the field', 'as for a stage']
    case 'days': {
      const { names } = filter
      const known = typeof names === 'string' ? fieldsOf[names] : Object.keys(names).map(code).join(', ')
      const days = ['2026-01-01..2026-02-01', 'last-7-days', 'over-30-days', 'this-month'].map(code)
      return [known, 'days', days.join(', ')]
    }
  }
}

test('documents every filter of deals', () =>
  expectGenerated(
    'portal',
    [
      '| parameter | filter | values, with commas between them |',
      '|---|---|---|',
      ...Object.entries<Filter>(filters).map((each) => `| ${describeFilter(each).join(' | ')} |`),
      '',
    ].join('\n'),
  ))

/** Returns the command with its full name, or all its subcommands if it has any. */
function commandsOf(command: Command, words = ''): [words: string, command: Command][] {
  return command.commands.length === 0
    ? [[words, command]]
    : command.commands.flatMap((child) => commandsOf(child, `${words} ${child.name()}`.trim()))
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function describeCommand(words: string, command: Command, heading: '##' | '###'): string[] {
  const visible = command.options.filter(({ hidden, long }) => !hidden && long !== '--json')
  const required = visible.filter(({ mandatory }) => mandatory).map(({ flags }) => ` ${flags}`)
  const positional = command.registeredArguments.map((argument) =>
    argument.required ? ` <${argument.name()}>` : ` [${argument.name()}]`,
  )
  return [
    `${heading} ${words}`,
    '',
    '```sh',
    `npm run -s operator -- ${words}${positional.join('')}${required.join('')}`,
    '```',
    '',
    capitalized(plain(command.description())),
    '',
    ...(visible.length === 0 ? [] : ['| option | meaning |', '|---|---|']),
    ...visible.map(
      ({ flags, description, defaultValue, argChoices }) =>
        `| ${code(flags)} | ${plain(description)}${argChoices === undefined ? '' : `: ${argChoices.join(', ')}`}${defaultValue === undefined || defaultValue === false ? '' : ` (default ${code(String(defaultValue))})`} |`,
    ),
    ...(visible.length === 0 ? [] : ['']),
  ]
}

test('documents every command', () => {
  const groups = makeProgram({} as Runner).commands
  return expectGenerated(
    'commands',
    groups
      .flatMap((group) =>
        group.commands.length === 0
          ? describeCommand(group.name(), group, '##')
          : [
              `## ${group.name()}`,
              '',
              ...commandsOf(group, group.name()).flatMap(([words, command]) =>
                describeCommand(words, command, '###'),
              ),
            ],
      )
      .join('\n'),
  )
})
