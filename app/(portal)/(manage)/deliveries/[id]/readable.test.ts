import { expect, test } from 'vitest'
import { readable } from './readable.ts'

test('indents JSON and keeps every digit of IDs', () => {
  expect(readable('{"id":9223372036854775807,"changes":[{"field":"stage"}]}')).toBe(
    '{\n  "id": 9223372036854775807,\n  "changes": [\n    {\n      "field": "stage"\n    }\n  ]\n}',
  )
})

test.each(['', '<html>', '{"cut":'])('leaves %j unchanged', (text) => expect(readable(text)).toBe(text))
