import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { makeProgram } from '#server/commands.ts'
import { readConfig } from '#server/runtime/env.ts'
import type { Runner } from '#server/runtime/runner.ts'
import { variables } from '#server/runtime/variables.ts'

// Each page ends with a generated section; update it with `vitest run -u` on this file.

/** Expects that the page goes on after its marker with this text. */
async function expectGenerated(page: string, text: string): Promise<void> {
  const path = join(import.meta.dirname, page, 'page.mdx')
  const [head, marker] = readFileSync(path, 'utf8').split(/(\{\/\* Generated [^\n]*\n)/)
  await expect(`${head}${marker}\n${text}`).toMatchFileSnapshot(path)
}

/** Returns the text as Markdown that shows it as it is. */
const plain = (text: string) => text.replaceAll(/[<{|*_]/g, '\\$&')

const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``

test('every variable is in the documentation', () =>
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
  '%s has the default that the documentation says',
  (name, { default: value }) => expect(readConfig({ [name]: value.slice(1, -1) })).toEqual(readConfig({})),
)

/** Returns the command, or those below it, each with the words that call it. */
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

test('every command is in the documentation', () => {
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
