import { expect, test } from 'vitest'
import { parseEmail } from './user.ts'

test('an e-mail address is stored in lower case and trimmed, and anything else is rejected', () => {
  expect(parseEmail('  Ana@Sunline.Example ')).toBe('ana@sunline.example')
  for (const text of ['', 'ana', 'a b@sunline.example', 'ana@sunline.example\0'])
    expect(parseEmail(text), text).toBeNull()
})
