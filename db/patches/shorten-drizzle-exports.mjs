import { readFileSync, renameSync, writeFileSync } from 'node:fs'

// Node reads the exports of a package anew for each file of it that is imported. Those of drizzle-orm are 130 KB, almost all of them alike:
// said by one pattern they are an eighth of that, and every process starts in half of the time.

const path = 'node_modules/drizzle-orm/package.json'
const description = JSON.parse(readFileSync(path, 'utf8'))
const targets = (name) => ({
  import: { types: `${name}.d.ts`, default: `${name}.js` },
  require: { types: `${name}.d.cts`, default: `${name}.cjs` },
  types: `${name}.d.ts`,
  default: `${name}.js`,
})
const others = Object.entries(description.exports).filter(
  ([name, target]) => JSON.stringify(target) !== JSON.stringify(targets(name)),
)
description.exports = { ...Object.fromEntries(others), './*': targets('./*') }
writeFileSync(`${path}.new`, JSON.stringify(description))
renameSync(`${path}.new`, path)
