import { expect, test } from 'vitest'
import { formatBytes } from './format-bytes.ts'

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1 KB'],
  [4213, '4 KB'],
  [48_213, '48 KB'],
  [999_499, '999 KB'],
  [1_340_000, '1.3 MB'],
  [999_990, '1 MB'],
  [5_000_000_000, '5 GB'],
  [2e15, '2,000 TB'],
])('formats %d bytes as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))
