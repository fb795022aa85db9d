import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

// Removes files that nothing reads, a fifth of the installation: source maps, headers for native add-ons, and the Java
// and native builds of recheck.

const root = 'node_modules'
const remove = (path) => rmSync(join(root, path), { recursive: true, force: true })

for (const name of readdirSync(root)) {
  if (/^node-(?:bin-)?(?:linux|darwin|win)-/.test(name)) remove(join(name, 'include'))
  if (name.startsWith('recheck-')) remove(name)
}
for (const path of readdirSync(root, { recursive: true })) if (path.endsWith('.map')) remove(path)
