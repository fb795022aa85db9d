import { expect, test } from 'vitest'
import { hourMs } from '#server/values/units.ts'
import { usualAnswerText, partsOf, mentionAt, suggestionsFor } from './message-text.ts'

const show = (text: string, mentions: string[] = []) =>
  partsOf(text, mentions).map((part) => (part.kind === 'text' ? part.text : [part.kind, part.text]))

test.each([
  ['See https://a.example/b?c=d.', ['See ', ['link', 'https://a.example/b?c=d'], '.']],
  ['(http://a.example/b)', ['(', ['link', 'http://a.example/b'], ')']],
  ['HTTPS://A.example/x', [['link', 'HTTPS://A.example/x']]],
  ['javascript:alert(1)', ['javascript:alert(1)']],
  ['<a href="https://a.example">', ['<a href="', ['link', 'https://a.example'], '">']],
  ['data:text/html,<script>', ['data:text/html,<script>']],
  ['https://', ['https://']],
  ['https://[x', ['https://[x']],
  ['', []],
])('finds the links in %j', (text, parts) => expect(show(text)).toEqual(parts))

test('highlights mentioned people, and a longer name takes precedence over a shorter one', () => {
  expect(show('@Ana Lopez and @Ana, not @Eve', ['Ana', 'Ana Lopez'])).toEqual([
    ['mention', '@Ana Lopez'],
    ' and ',
    ['mention', '@Ana'],
    ', not @Eve',
  ])
})

test.each([
  ['@', { start: 0, query: '' }],
  ['Hi @an', { start: 3, query: 'an' }],
  ['Hi @Ana Lo', { start: 3, query: 'Ana Lo' }],
  ["(@O'Neil", { start: 1, query: "O'Neil" }],
  ['Hi @Ana Lopez it', null],
  ['ana@sunline.example', null],
  ['Hi', null],
])('finds the unfinished mention at the end of %j', (text, mention) =>
  expect(mentionAt(text, text.length)).toEqual(mention),
)

test('reads a mention only up to the cursor', () =>
  expect(mentionAt('@Ana, hi', 3)).toEqual({ start: 0, query: 'An' }))

test('suggests people if any of their names begins with the query', () => {
  const people = ['Ana Lopez', 'Ben Lo', 'Lou Ito', 'Dalo'].map((name) => ({ name }))
  const names = (query: string) => suggestionsFor(people, query).map(({ name }) => name)
  expect(names('lo')).toEqual(['Ana Lopez', 'Ben Lo', 'Lou Ito'])
  expect(names('Ana L')).toEqual(['Ana Lopez'])
  expect(names('x')).toEqual([])
})

test.each([
  [0, 'within an hour'],
  [1, 'within an hour'],
  [4.2, 'within 5 hours'],
  [5, 'within 5 hours'],
  [47, 'within 47 hours'],
  [48, 'within 2 days'],
  [49, 'within 3 days'],
])('describes a median response time of %d hours', (hours, text) =>
  expect(usualAnswerText(hours * hourMs)).toBe(`Usually answered ${text}`),
)
