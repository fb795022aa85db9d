import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// The developer documents refer to files, which may be renamed or moved.

const root = join(import.meta.dirname, '../../..')
const documents = globSync(['README.md', 'app/docs/develop/**/*.md'], { cwd: root })

/** Resolves a path in a document: relative to `server/`, unless it begins with another top-level folder. */
const placeOf = (path: string) =>
  join(root, /^(?:app|db|e2e|public|server)\/|^package\.json$/.test(path) ? path : `server/${path}`)

/** Files that any feature folder may have, and nouns that the documents use as examples of file names. */
const ofRooms = ['actions', 'commands', 'deal', 'jobs', 'policy', 'router', 'store', 'token', 'wire'].map(
  (name) => `${name}.ts`,
)

const file = /`([\w()[\]./-]+\.(?:ts|tsx|md|mdx))`(?: \(((?:`\w+`(?:, | and )?)+))?/g

test.each(documents)('all files named in %s exist and contain the names given in parentheses', (document) => {
  const text = readFileSync(join(root, document), 'utf8')
  const wrong = [...text.matchAll(file)].flatMap(([, path, names = '']) => {
    if (ofRooms.includes(path!)) return []
    if (!existsSync(placeOf(path!))) return [path]
    const content = readFileSync(placeOf(path!), 'utf8')
    return [...names.matchAll(/`(\w+)`/g)]
      .filter(([, name]) => !new RegExp(`\\b${name}\\b`).test(content))
      .map(([, name]) => `${path}: ${name}`)
  })
  expect(wrong).toEqual([])
})
