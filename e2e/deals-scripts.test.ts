import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const built = join(import.meta.dirname, '../.next')
const page = '/(portal)/deals/page'
const isBuilt = existsSync(join(built, 'built-from'))

// Includes about 10 KB for the headers of about twenty responses.
const budgetKb = 235

// Parts of Next's layouts and error boundaries that load with the page.
const parts = [
  'layout',
  'error',
  'global-error',
  '(portal)/layout',
  '(portal)/error',
  '(portal)/deals/page',
].map((name) => `[project]/app/${name}`)

/** Returns the scripts of the deals page from the build manifest. */
function scriptsOfPage(): string[] {
  const { rootMainFiles } = JSON.parse(
    readFileSync(join(built, `server/app${page}/build-manifest.json`), 'utf8'),
  ) as { rootMainFiles: string[] }
  const script = readFileSync(join(built, `server/app${page}_client-reference-manifest.js`), 'utf8')
  const json = script.slice(script.lastIndexOf(`["${page}"]`)).replace(/^[^=]*=\s*/, '')
  const { entryJSFiles } = JSON.parse(json.replace(/;?\s*$/, '')) as {
    entryJSFiles: Record<string, string[]>
  }
  return [...new Set([...rootMainFiles, ...parts.flatMap((part) => entryJSFiles[part]!)])]
}

// If this test fails, load code that is only needed after a click with `dynamic` or `import()`.
test.skipIf(!isBuilt)('the scripts of the deals page stay under 235 KB', () => {
  const scripts = scriptsOfPage()
  expect(scripts.length).toBeGreaterThan(10)
  const bytes = scripts.reduce((sum, name) => sum + gzipSync(readFileSync(join(built, name))).length, 0)
  expect(bytes / 1000).toBeLessThan(budgetKb)
})
