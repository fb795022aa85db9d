import { expect, test } from 'vitest'
import { nodeProgram, pythonProgram, readRequest } from './request.ts'

const get = `export ID=7   # an id
curl -H "Authorization: Bearer $TOKEN" \\
  "https://x.example/api/deals/$ID"`

const post = `curl -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "deals": []
  }' \\
  "https://x.example/api/events/reconcile"`

test('reads a GET and a POST, and nothing that has other options or does more', () => {
  expect(readRequest(get)).toEqual({ url: 'https://x.example/api/deals/$ID' })
  expect(readRequest(post)).toEqual({
    url: 'https://x.example/api/events/reconcile',
    body: '{\n    "deals": []\n  }',
  })
  expect(readRequest(get.replace('curl', 'curl -i'))).toBeUndefined()
  expect(readRequest(`${post}\nwc -l x`)).toBeUndefined()
})

test('takes variables of the URL from the environment', () => {
  expect(nodeProgram(readRequest(get)!)).toContain('fetch(`https://x.example/api/deals/${process.env.ID}`, {')
  expect(pythonProgram(readRequest(get)!)).toContain(`f"https://x.example/api/deals/{os.environ['ID']}",`)
})
