import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// A page's partner is in its URL, so every link and call must keep it. `Link`, `DownloadLink` and `useRouter`
// do so; `PartnerLink` changes it on purpose. All other exceptions are listed below.

const root = join(import.meta.dirname, '..')
const paths = globSync('app/**/*.{ts,tsx}', { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.endsWith('.test.ts'))
const sources = paths.toSorted().map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

/** Returns the matches in all files except `but`, without matches that need no partner. */
function found(
  pattern: RegExp,
  { but = [], beginning = [] }: { but?: string[]; beginning?: string[] },
): string[] {
  return sources
    .filter(({ path }) => !but.includes(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(pattern)].map(([, target]) => ({ path, target: target!.trim() })),
    )
    .filter(({ target }) => !beginning.some((begin) => target.startsWith(begin)))
    .map(({ path, target }) => `${path}: ${target}`)
}

test('finds source files to check', () => expect(sources.length).toBeGreaterThan(150))

test('no plain link leads to a page of the portal', () => {
  const but = [
    'app/ui/link.tsx',
    'app/(portal)/deals/[id]/contact-links.tsx',
    'app/(portal)/deals/[id]/contact-links.tsx',
    // URL of a file, authorized by a signature.
    'app/(portal)/deals/[id]/deal-files.tsx',
    // E-mail address or URL of the installer's support.
    'app/sign-in/forgot/page.tsx',
    // Elements that contain links.
    'app/(portal)/deals/[id]/thread-view.tsx',
    // Page of the sign-in provider, which ends the provider's session.
    'app/sign-in/page.tsx',
    // Links in the guides, which have a test of their own.
    'app/docs/mdx-elements.tsx',
    // Anchors on the same page.
    'app/docs/reference/page.tsx',
    'app/docs/(guides)/clients/downloads.tsx',
    'app/docs/(guides)/copy/download.tsx',
  ]
  // Allowed: anchors, the page itself, other sites, and targets that are not pages.
  expect(found(/<a\b(?![^>]*\bhref=)([^>]*)>/g, { but })).toEqual([])
  expect(
    found(/<a\b[^>]*?\bhref=("[^"]*"|\{[^\n}]*)/g, {
      but,
      beginning: ['"#', '""', '"https://', '"/api/openapi.json"', '"/llms.txt"'],
    }),
  ).toEqual([])
})

test('the only forms that browsers submit are server actions', () => {
  expect(found(/<form\b[^>]*?\baction=("[^"]*")/g, {})).toEqual([])
})

test('no script opens a page without the partner in the URL', () => {
  expect(
    found(/(?:location\.(?:assign|replace)|window\.open|(?<!function )leaveFor)\(([^\n,;]*)/g, {
      // A file's own URL, and a URL that the caller passes in.
      but: ['app/(portal)/deals/[id]/deal-files.tsx', 'app/leave-document.ts'],
      beginning: ['hrefOf(', 'switchTo(', "'/sign-in'", '`/sign-in?'],
    }),
  ).toEqual([])
  expect(found(/location(?:\.href)?\s*=(?!=)\s*([^\n]*)/g, {})).toEqual([])
})

test('only the upload script, the shared stream script and the API reference call the server directly', () => {
  expect(
    found(/(?<![.\w])fetch\(([^\n;]*)/g, {
      // Source code of the guides' programs.
      but: [
        'app/(portal)/(manage)/imports/send-file.ts',
        'app/docs/reference/try-it.tsx',
        'app/docs/request.ts',
      ],
    }),
  ).toEqual([])
  expect(
    found(/new (?:XMLHttpRequest|EventSource|WebSocket)\(([^\n]*)/g, {
      but: ['app/(portal)/frame/live-changes.tsx'],
    }),
  ).toEqual([])
})

test('server redirects within the portal keep the partner', () => {
  expect(
    found(/(?<![.\w])redirect\(([^\n;]*)/g, {
      but: ['app/trpc-server.ts', 'app/sign-in/actions.ts', 'app/sign-in/page.tsx'],
      beginning: ["'/sign-in'", 'withPartner('],
    }),
  ).toEqual([])
})
