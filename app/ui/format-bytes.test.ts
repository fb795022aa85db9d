import { expect, test } from 'vitest'
import { formatBytes } from './format-bytes.ts'

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1 kB'],
  [48_213, '48.2 kB'],
  [999_949, '999.9 kB'],
  [999_990, '1 MB'],
  [5_000_000_000, '5 GB'],
  [2e15, '2,000 TB'],
])('%d bytes read %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))
