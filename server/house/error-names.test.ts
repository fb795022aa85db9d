import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// The bundler of the pages shortens the names of libraries' errors: logs take them from `errorName`.

const root = join(import.meta.dirname, '../..')
const plainName = /\b(?:error|cause)\)?\??\.name\b/
const compared = /(?:test|includes)\(/

test('no log takes the name of an error past errorName', () => {
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
