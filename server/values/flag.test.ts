import { expect, test } from 'vitest'
import { flagReader } from './flag.ts'
import { Unreadable } from './unreadable.ts'

const read = flagReader(false)

test.each(
  'yes Yes YES y true TRUE t 1 1.0 1.00 -1 on x X v checked Checked ✓ ✔ ✔️ ☑ ✅ [x] sí Sí si WAHR vrai oui ja VERDADERO'.split(
    ' ',
  ),
)('reads the cell %s as yes', (text) => expect(read(text)).toBe(true))

test.each([
  ...'no No n false FALSE f 0 0.0 off FALSCH faux non nein FALSO unchecked ☐ ✗ ✘ ❌'.split(' '),
  '[ ]',
])('reads the cell %s as no', (text) => expect(read(text)).toBe(false))

test('ignores spaces of any kind', () => {
  expect([' yes ', 'no\u00a0', '\u200bx'].map(read)).toEqual([true, false, true])
})

test('reads an empty string as unknown, or as no in a checkbox column', () => {
  const readBox = flagReader(true)
  expect([read(''), read(' '), read('N/A')]).toEqual([null, null, null])
  expect([readBox(''), readBox('\u00a0'), readBox('N/A'), readBox('✓')]).toEqual([false, false, null, true])
})

test.each(['maybe', 'Tesla Powerwall 3', '2', 'constructor'])('rejects the cell %s', (text) =>
  expect(read(text)).toEqual(new Unreadable(`“${text}” is neither yes nor no; use one of them`)),
)
