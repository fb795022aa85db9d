import { describe, expect, test } from 'vitest'
import { fileKeyFrom, openPath, signPath } from './signature.ts'

const key = fileKeyFrom('the secret of an installation, 32 characters or more')
const now = 1_772_385_605
const expiresAt = now + 3600
const path = signPath(key, 'hic_9f2Kd81LmQ', expiresAt)

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))

describe('a signed URL', () => {
  test('contains the file, its expiry, and a signature of 256 bits', () => {
    expect(path).toMatch(/^\/files\/hic_9f2Kd81LmQ\?expires=1772389205&signature=[A-Za-z0-9_-]{43}$/)
  })

  test('works until the very second it expires', () => {
    expect(openPath(key, path, now)).toBe('hic_9f2Kd81LmQ')
    expect(openPath(key, path, expiresAt - 0.001)).toBe('hic_9f2Kd81LmQ')
    expect(openPath(key, path, expiresAt)).toBeNull()
    expect(openPath(key, path, expiresAt + 1)).toBeNull()
  })

  test('is invalid with any character changed', () => {
    for (let at = 0; at < path.length; at++) {
      for (const character of printable) {
        if (character === path[at]) continue
        const altered = path.slice(0, at) + character + path.slice(at + 1)
        expect(openPath(key, altered, now), altered).toBeNull()
      }
    }
  })

  test('is invalid with any character missing or doubled', () => {
    for (let at = 0; at < path.length; at++) {
      expect(openPath(key, path.slice(0, at) + path.slice(at + 1), now)).toBeNull()
      expect(openPath(key, path.slice(0, at + 1) + path.slice(at), now)).toBeNull()
    }
  })

  test('has one encoding: other base64 of the same bytes is rejected', () => {
    // The last of 43 characters has four bits of the signature and two unused ones.
    const twins = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
      .map((character) => path.slice(0, -1) + character)
      .filter((twin) =>
        Buffer.from(twin.slice(-43), 'base64url').equals(Buffer.from(path.slice(-43), 'base64url')),
      )
    expect(twins).toHaveLength(4)
    expect(twins.filter((twin) => openPath(key, twin, now) !== null)).toEqual([path])
    expect(openPath(key, `${path}=`, now)).toBeNull()
  })

  test.each([
    ['more query', `${path}&x=1`],
    ['a fragment', `${path}#x`],
    ['another order', path.replace(/expires=(\d+)&signature=(.+)/, 'signature=$2&expires=$1')],
    ['a leading zero', path.replace('expires=', 'expires=0')],
    ['an encoded character', path.replace('hic', '%68ic')],
    ['another host', `http://localhost:3000${path}`],
    ['a path above', path.replace('/files/', '/files/../files/')],
    ['no signature', path.replace(/&signature=.*/, '')],
    ['an empty one', path.replace(/signature=.*/, 'signature=')],
    ['a line after', `${path}\n`],
  ])('opens nothing with %s', (_what, altered) => expect(openPath(key, altered, now)).toBeNull())

  test('opens neither another file nor for longer', () => {
    expect(openPath(key, path.replace('hic_9f2Kd81LmQ', 'other'), now)).toBeNull()
    expect(openPath(key, path.replace(String(expiresAt), String(expiresAt + 1)), now)).toBeNull()
  })

  test('of one installation is invalid in another', () => {
    expect(openPath(fileKeyFrom('the secret of another installation, also long'), path, now)).toBeNull()
  })

  test('does not accept a part of the id as the time', () => {
    const [, first] = /signature=(.+)/.exec(signPath(key, 'a', 12))!
    const [, second] = /signature=(.+)/.exec(signPath(key, 'a1', 2))!
    expect(first).not.toBe(second)
  })
})

test('the key is derived from the secret without containing it', () => {
  const secret = 'x'.repeat(43)
  expect(fileKeyFrom(secret)).toEqual(fileKeyFrom(secret))
  expect(fileKeyFrom(secret)).toHaveLength(32)
  expect(fileKeyFrom(secret).toString()).not.toContain('x'.repeat(8))
})
