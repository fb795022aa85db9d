import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// A process writes its log a moment after the effect that a test sees, so tests poll for it.

const root = join(import.meta.dirname, '../..')
/** `startInbox` waits for the inbox's first output. */
const waitedFor = ['  expect(inbox.output()).toContain(']
const readAtOnce = /^ *expect\(\w+\.output\(\)\)\.(?!not\.).*$/

test('no test expects immediate output from a running process', () => {
  const found = globSync('e2e/**/*.{test,spec}.ts', { cwd: root }).flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .filter((line) => readAtOnce.test(line) && !waitedFor.includes(line))
      .map((line) => `${path}: ${line.trim()}`),
  )
  expect(found).toEqual([])
})
