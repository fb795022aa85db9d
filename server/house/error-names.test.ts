import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// The pages' bundler shortens the names of libraries' errors, so logs take them from `errorName`.

const root = join(import.meta.dirname, '../..')
const plainName = /\b(?:error|cause)\)?\??\.name\b/
const compared = /(?:test|includes)\(/

test('logs take the names of errors only from errorName', () => {
  const found = globSync(['{server,app,db}/**/*.{ts,tsx}'], { cwd: root })
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .flatMap((path) =>
      readFileSync(join(root, path), 'utf8')
        .split('\n')
        .filter((line) => plainName.test(line) && !compared.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )
  expect(found).toEqual([])
})
