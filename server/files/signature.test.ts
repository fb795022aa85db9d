import { describe, expect, test } from 'vitest'
import { type Reader, fileKeyFrom, openPath, signPath, signViewPath } from './signature.ts'

const key = fileKeyFrom('the secret of an installation, 32 characters or more')
const now = 1_772_385_605
const expiresAt = now + 3600
const reader = 'partner 7' as Reader
const path = signPath(key, 'hic_9f2Kd81LmQ', reader, expiresAt)

/** Returns the file that this reader gets from a URL, or null. */
function open(text: string, at = now, by = reader, of = key): string | null {
  const url = openPath(of, text, at)
  return url?.isOf(by) === true ? url.fileId : null
}

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))

describe('a signed URL', () => {
  test('contains the file id, its expiry, and a signature of 256 bits', () => {
    expect(path).toMatch(/^\/files\/hic_9f2Kd81LmQ\?expires=1772389205&signature=[A-Za-z0-9_-]{43}$/)
  })

  test('works until the exact second of its expiry', () => {
    expect(open(path)).toBe('hic_9f2Kd81LmQ')
    expect(open(path, expiresAt - 0.001)).toBe('hic_9f2Kd81LmQ')
    expect(open(path, expiresAt)).toBeNull()
    expect(open(path, expiresAt + 1)).toBeNull()
  })

  test('is invalid with any character changed', () => {
    for (let at = 0; at < path.length; at++) {
      for (const character of printable) {
        if (character === path[at]) continue
        const altered = path.slice(0, at) + character + path.slice(at + 1)
        expect(open(altered), altered).toBeNull()
      }
    }
  })

  test('has one encoding: other base64 of the same bytes is rejected', () => {
    // The last of 43 base64 characters encodes four bits of the signature and two unused bits.
    const twins = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
      .map((character) => path.slice(0, -1) + character)
      .filter((twin) =>
        Buffer.from(twin.slice(-43), 'base64url').equals(Buffer.from(path.slice(-43), 'base64url')),
      )
    expect(twins).toHaveLength(4)
    expect(twins.filter((twin) => open(twin) !== null)).toEqual([path])
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
  ])('opens nothing after a change: %s', (_what, altered) => expect(open(altered)).toBeNull())

  test('opens nothing for another reader, but is recognized as signed', () => {
    for (const other of ['partner 8', 'partner 77', 'staff', 'session 7'] as Reader[])
      expect(open(path, now, other)).toBeNull()
    expect(openPath(key, path, now)).toMatchObject({ fileId: 'hic_9f2Kd81LmQ', isView: false })
    const view = signViewPath(key, 'hic_9f2Kd81LmQ', reader, expiresAt)
    expect(openPath(key, view, now)).toMatchObject({ fileId: 'hic_9f2Kd81LmQ', isView: true })
    expect(openPath(key, view.replace('/view', ''), now)).toBeNull()
    expect(openPath(key, path.replace('?', '/view?'), now)).toBeNull()
  })

  test('is invalid in another installation', () => {
    expect(open(path, now, reader, fileKeyFrom('the secret of another installation, also long'))).toBeNull()
  })

  test('does not accept part of the id as the time', () => {
    const [, first] = /signature=(.+)/.exec(signPath(key, 'a', reader, 12))!
    const [, second] = /signature=(.+)/.exec(signPath(key, 'a1', reader, 2))!
    expect(first).not.toBe(second)
  })
})
