import { describe, expect, test } from 'vitest'
import { Email } from './wire.ts'

const parsed = (typed: string) => Email.safeParse(typed).data ?? null

describe('an e-mail address', () => {
  test.each([
    ['ANA@Sunline.example ', 'ana@sunline.example'],
    ["o'neill+deals@sub.sunline.example", "o'neill+deals@sub.sunline.example"],
    ['José@sunline.example', 'josé@sunline.example'],
    ['R&D@sunline.example', 'r&d@sunline.example'],
    ["!#$%&'*+/=?^_`{|}~-.a@sunline.example", "!#$%&'*+/=?^_`{|}~-.a@sunline.example"],
    [`${'a'.repeat(64)}@sunline.example`, `${'a'.repeat(64)}@sunline.example`],
    // Composed of two characters, and full-width: the same address.
    ['Jose\u0301@sunline.example', 'josé@sunline.example'],
    ['ａｎａ@ｓｕｎｌｉｎｅ.example', 'ana@sunline.example'],
    ['用户@例子.example', '用户@xn--fsqu00a.example'],
    ['ana@MÜNCHEN.example', 'ana@xn--mnchen-3ya.example'],
    ['ana@xn--mnchen-3ya.example', 'ana@xn--mnchen-3ya.example'],
    ['ana@sunline.xn--p1ai', 'ana@sunline.xn--p1ai'],
  ])('%s is stored as %s', (typed, stored) => {
    expect(parsed(typed)).toBe(stored)
    expect(parsed(stored)).toBe(stored)
  })

  test.each([
    'ana',
    'ana@',
    '@sunline.example',
    'ana@sunline',
    '.ana@sunline.example',
    'ana.@sunline.example',
    'a..na@sunline.example',
    'ana@@sunline.example',
    'ana@b@sunline.example',
    'a na@sunline.example',
    'a"b@sunline.example',
    '<ana@sunline.example>',
    'ana(work)@sunline.example',
    'a:b;c@sunline.example',
    'a\\b@sunline.example',
    'ana@[192.0.2.1]',
    'ana@sunline.example, b@evil.example',
    'ana@sunline.example\r\nBcc: b@evil.example',
    // Zero-width space, right-to-left override, soft hyphen, a mark without a letter.
    'a\u200bna@sunline.example',
    'a\u202ena@sunline.example',
    'a\u00adna@sunline.example',
    '\u0301a@sunline.example',
    'ana@例\u200b子.example',
    'ana@例子/evil.example',
    'ana@例子:80.example',
    `${'é'.repeat(300)}@sunline.example`,
  ])('%j is invalid', (typed) => {
    expect(parsed(typed)).toBeNull()
  })
})
