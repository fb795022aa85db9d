import { expect, test } from 'vitest'
import { readConsole, nodeProgram, pythonProgram, readRequest } from './request.ts'

const get = `export ID=7   # an id
curl -H "Authorization: Bearer $TOKEN" \\
  "https://x.example/api/deals/$ID"`

const post = `curl -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "deals": []
  }' \\
  "https://x.example/api/events/reconcile"`

test('parses a plain GET or POST, and rejects commands with other options or additional steps', () => {
  expect(readRequest(get)).toEqual({
    url: 'https://x.example/api/deals/$ID',
    variables: [{ name: 'ID', value: '7', remark: 'an id' }],
  })
  expect(readRequest(post)).toEqual({
    url: 'https://x.example/api/events/reconcile',
    body: '{\n    "deals": []\n  }',
    variables: [],
  })
  expect(readRequest(get.replace('curl', 'curl -i'))).toBeUndefined()
  expect(readRequest(`${post}\nwc -l x`)).toBeUndefined()
})

test('turns exported shell variables into constants', () => {
  const node = nodeProgram(readRequest(get)!)
  expect(node).toContain("const ID = '7' // an id\n")
  expect(node).toContain('fetch(`https://x.example/api/deals/${ID}`, {')
  const python = pythonProgram(readRequest(get)!)
  expect(python).toContain('ID = "7"  # an id\n')
  expect(python).toContain('f"https://x.example/api/deals/{ID}",')
})

test('splits a console session into commands and output', () => {
  expect(readConsole('$ curl \\\n>   -I x\nHTTP/1.1 200 OK\n\n> not a command')).toEqual({
    text: 'curl \\\n  -I x',
    answer: 'HTTP/1.1 200 OK\n\n> not a command',
  })
})

test('a console session may have no output', () => {
  expect(readConsole('$ export ID=1\n$ echo')).toEqual({ text: 'export ID=1\necho' })
})
