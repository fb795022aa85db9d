import { expect, test } from 'vitest'
import { readable } from './readable.ts'

test('JSON is indented, and IDs keep their digits', () => {
  expect(readable('{"id":9223372036854775807,"changes":[{"field":"stage"}]}')).toBe(
    '{\n  "id": 9223372036854775807,\n  "changes": [\n    {\n      "field": "stage"\n    }\n  ]\n}',
  )
})

test.each(['', '<html>', '{"cut":'])('%j stays as it is', (text) => expect(readable(text)).toBe(text))
