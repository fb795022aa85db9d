import { expect, test } from 'vitest'
import { parseEmail } from './user.ts'

test('an e-mail address is trimmed and stored in lower case; invalid addresses are rejected', () => {
  expect(parseEmail('  Ana@Sunline.Example ')).toBe('ana@sunline.example')
  for (const text of ['', 'ana', 'a b@sunline.example', 'ana@sunline.example\0'])
    expect(parseEmail(text), text).toBeNull()
})
