import { expect, test } from 'vitest'
import { readConsole } from './console.ts'

test('splits a console session into commands and output', () => {
  expect(readConsole('$ curl \\\n>   -I x\nHTTP/1.1 200 OK\n\n> not a command')).toEqual({
    text: 'curl \\\n  -I x',
    answer: 'HTTP/1.1 200 OK\n\n> not a command',
  })
})

test('a console session may have no output', () => {
  expect(readConsole('$ export ID=1\n$ echo')).toEqual({ text: 'export ID=1\necho' })
})
