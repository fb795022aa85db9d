import { expect, test } from 'vitest'
import { NewUser, parseEmail } from './user.ts'

const ana = {
  email: 'ana@sunline.example',
  name: 'Ana',
  password: 'correct horse battery',
  role: 'member' as const,
  partnerId: 1,
}

test('addresses are stored in lower case and trimmed', () => {
  expect(parseEmail('  Ana@Sunline.Example ')).toBe('ana@sunline.example')
  expect(NewUser.parse({ ...ana, email: ' ANA@sunline.example' }).email).toBe('ana@sunline.example')
})

test.each([
  '',
  'ana',
  'ana@',
  '@sunline.example',
  'a b@sunline.example',
  'ana@sunline.example\0',
  `${'a'.repeat(250)}@b.example`,
])('%j is not an address', (text) => {
  expect(parseEmail(text)).toBeNull()
})

test.each([
  [{ password: 'elevenchars' }, 'password'],
  [{ password: 'x'.repeat(257) }, 'password'],
  [{ name: '  ' }, 'name'],
  [{ role: 'owner' }, 'role'],
  [{ partnerId: null }, 'partnerId'],
  [{ role: 'operator' }, 'partnerId'],
])('rejects a user with %j', (change, field) => {
  const { error } = NewUser.safeParse({ ...ana, ...change })
  expect(error?.issues.map(({ path }) => path[0])).toEqual([field])
})

test('an operator belongs to no partner', () => {
  expect(NewUser.parse({ ...ana, role: 'operator', partnerId: null })).toMatchObject({
    role: 'operator',
    partnerId: null,
  })
})
