import { type ReactNode, createElement as h } from 'react'
import { expect, test } from 'vitest'
import { GuideCode } from '../guide-code.tsx'
import { markdownOf } from './markdown.ts'

const toMarkdown = (...nodes: ReactNode[]) =>
  markdownOf(nodes, (href) => `https://deals.example.com${href}`).then((text) => text.trimEnd())

test('converts headings, paragraphs and links', async () => {
  expect(
    await toMarkdown(
      h('h1', {}, 'Sheets'),
      '\n',
      h('p', {}, 'Read ', h('strong', {}, 'one'), ' ', h('a', { href: '/docs' }, h('code', {}, 'view')), '.'),
    ),
  ).toBe('# Sheets\n\nRead **one** [`view`](https://deals.example.com/docs).')
})

test('escapes text that looks like markup', async () => {
  expect(await toMarkdown(h('p', {}, 'a*b <c> `d`'), h('p', {}, h('code', {}, 'e`f')))).toBe(
    'a\\*b \\<c> \\`d\\`\n\n`` e`f ``',
  )
})

test('converts lists, including nested lists', async () => {
  expect(
    await toMarkdown(
      h(
        'ol',
        {},
        h('li', {}, 'one', h('ul', {}, h('li', {}, 'a'), h('li', {}, 'b'))),
        '\n',
        h('li', {}, 'two'),
      ),
    ),
  ).toBe('1. one\n\n   - a\n   - b\n2. two')
})

test('converts tables with formatted cells', async () => {
  const row = (tag: string, ...cells: ReactNode[]) =>
    h('tr', {}, ...cells.map((cell) => h(tag, { key: String(cell) }, cell)))
  expect(
    await toMarkdown(
      h(
        'table',
        {},
        h('thead', {}, row('th', 'name', 'use')),
        h('tbody', {}, row('td', 'a|b', h('code', {}, 'c'))),
      ),
    ),
  ).toBe('| name | use |\n| --- | --- |\n| a\\|b | `c` |')
})

test('converts code in all languages, with its file name and response', async () => {
  expect(
    await toMarkdown(
      h(GuideCode, {
        codes: [
          { language: 'curl', text: 'curl x', answer: '{}' },
          { language: 'Node.js', text: 'fetch(x)' },
          { language: 'Python', text: 'get(x)', caption: 'get.py' },
        ],
      }),
    ),
  ).toBe(
    '```sh\ncurl x\n```\n\nResponse:\n\n```\n{}\n```\n\n```js\nfetch(x)\n```\n\n`get.py`:\n\n```python\nget(x)\n```',
  )
})

test('converts components, including asynchronous ones', async () => {
  const Late = async ({ name }: { name: string }) => h('p', {}, `Hello ${await Promise.resolve(name)}`)
  expect(await toMarkdown(h(Late as unknown as 'p', { name: 'Ana' } as object), null, false)).toBe(
    'Hello Ana',
  )
})
