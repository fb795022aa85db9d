import { expect, test } from 'vitest'
import { linkUrl, makeLink } from './link.ts'
import { hashText } from './user.ts'

const now = new Date('2026-03-01T12:00:00Z')

test.each([
  ['invitation', '2026-03-08T12:00:00Z'],
  ['reset', '2026-03-01T13:00:00Z'],
  ['sign-in', '2026-03-01T12:15:00Z'],
] as const)('a %s link expires at %s', (kind, end) => {
  const { token, hash, expiresAt } = makeLink(kind, now, (size) => Buffer.alloc(size, 255))
  expect({ token, hash, expiresAt }).toEqual({
    token: Buffer.alloc(32, 255).toString('base64url'),
    hash: hashText(token),
    expiresAt: new Date(end),
  })
  expect(linkUrl('https://deals.example.com', token)).toBe(`https://deals.example.com/link/${token}`)
})
