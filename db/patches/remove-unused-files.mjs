import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

// Removes what packages bring and nothing reads, a fifth of the installation: source maps, the headers for
// native add-ons of Node, and the Java and native forms of recheck, whose JavaScript form the tests run.

const root = 'node_modules'
const remove = (path) => rmSync(join(root, path), { recursive: true, force: true })

for (const name of readdirSync(root)) {
  if (/^node-(?:bin-)?(?:linux|darwin|win)-/.test(name)) remove(join(name, 'include'))
  if (name.startsWith('recheck-')) remove(name)
}
for (const path of readdirSync(root, { recursive: true })) if (path.endsWith('.map')) remove(path)
