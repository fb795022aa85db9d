import { expect, test } from 'vitest'
import { deviceName, readDevice, signDevice } from './cookies.ts'

const nonce = 'abcdefghijklmnopqrstuv'
const cookie = signDevice('secret', 'ana@sunline.example', nonce)

test('a browser is recognized by its cookie for the account that signed in', () => {
  expect(readDevice('secret', 'ana@sunline.example', cookie)).toBe(nonce)
  expect(readDevice('secret', 'bob@sunline.example', cookie)).toBeNull()
  expect(readDevice('another secret', 'ana@sunline.example', cookie)).toBeNull()
})

test('ignores other cookies', () => {
  const wrong = [
    undefined,
    '',
    '.',
    nonce,
    `${nonce}.`,
    cookie.slice(0, -1),
    `${cookie}=`,
    cookie.replace('a', 'b'),
    `${cookie.slice(0, 30)}ä${cookie.slice(31)}`,
    `x${cookie}`,
  ]
  for (const text of wrong) expect(readDevice('secret', 'ana@sunline.example', text)).toBeNull()
})

test('each account has its own cookie, whose name does not reveal the account', () => {
  expect(deviceName('ana@sunline.example')).toMatch(/^device-[0-9a-f]{16}$/)
  expect(deviceName('ana@sunline.example')).not.toBe(deviceName('bob@sunline.example'))
})
