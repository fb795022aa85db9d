import { expect, test } from 'vitest'
import { parseExact } from './exact-json.ts'

test('keeps every digit of a long integer, and leaves all else as JSON has it', () => {
  expect(
    parseExact(
      '{"id": 9007199254740993,"ids":[-9223372036854775808,7],"text":"a \\"12345678901234567\\" b","n":1234567890123456.5,"e":1e21,"short":42}',
    ),
  ).toEqual({
    id: '9007199254740993',
    ids: ['-9223372036854775808', 7],
    text: 'a "12345678901234567" b',
    n: 1_234_567_890_123_456.5,
    e: 1e21,
    short: 42,
  })
  expect(parseExact('{"text":"\\\\","id":9007199254740993}')).toEqual({ text: '\\', id: '9007199254740993' })
  expect(() => parseExact('<html>')).toThrow(SyntaxError)
})
