import { expect, test } from 'vitest'
import { partsOf } from './message-parts.ts'

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
])('finds the links of %j', (text, parts) => expect(show(text)).toEqual(parts))

test('highlights mentioned people, and a longer name takes precedence over a shorter one', () => {
  expect(show('@Ana Lopez and @Ana, not @Eve', ['Ana', 'Ana Lopez'])).toEqual([
    ['mention', '@Ana Lopez'],
    ' and ',
    ['mention', '@Ana'],
    ', not @Eve',
  ])
})
