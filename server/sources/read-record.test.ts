import { expect, test } from 'vitest'
import { textOfHtml } from './read-record.ts'

test.each([
  ['<div><p>Call the HOA &amp; ask</p></div>', 'Call the HOA & ask'],
  ['<p>First</p><p>Second<br>Third<br/>Fourth</p>', 'First\nSecond\nThird\nFourth'],
  ['<ul><li>Panel</li><li><p>Battery</p></li></ul>', '- Panel\n- Battery'],
  ['Gate&nbsp;code&#58; 4471 &mdash; d&eacute;j&agrave;', 'Gate code: 4471 — déjà'],
  ['<a href="https://x.example/a?b=1&amp;c=2">Proposal</a>', 'Proposal (https://x.example/a?b=1&c=2)'],
  ['<a href="https://x.example">https://x.example</a>', 'https://x.example'],
  ['<a href="mailto:a@b.example">a@b.example</a>, <a href="javascript:x()">no</a>', 'a@b.example, no'],
  ['3 < 5 & 7 > 6', '3 < 5 & 7 > 6'],
  ['plain text', 'plain text'],
  ['<style>p { color: red }</style><!-- note --><b>Bo</b>ld', 'Bold'],
  ['<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
  ['<p>&nbsp;</p><div><br></div>', ''],
  ['<p>unclosed <b>tags', 'unclosed tags'],
])('converts %s to text', (html, text) => {
  expect(textOfHtml(html)).toBe(text)
})

test('takes linear time for text that is not HTML', () => {
  for (const piece of ['<', '<a', '&', '<!--', '<p', '</', '<a href="'])
    expect(() => textOfHtml(piece.repeat(200_000 / piece.length))).not.toThrow()
}, 3000)
