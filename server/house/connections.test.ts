import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// Controls who may open connections, and with which lookup. The system's own (getaddrinfo) blocks one of four
// threads while a name server is silent, so names chosen by a partner or a CRM must never get there.

const root = join(import.meta.dirname, '../..')
const sources = globSync('{server,db}/**/*.{ts,mjs}', { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !/\.test\.ts$|^db\/test-/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

const pathsWith = (expression: RegExp) =>
  sources
    .filter(({ text }) => expression.test(text))
    .map(({ path }) => path)
    .toSorted()

test("only one file looks up names, and not through the system's lookup", () => {
  expect(pathsWith(/['"](?:node:)?dns(?:\/promises)?['"]/)).toEqual(['server/net/resolve.ts'])
  const { text } = sources.find(({ path }) => path === 'server/net/resolve.ts')!
  expect(text.match(/import .* from 'node:dns\/promises'/g)).toEqual([
    "import { Resolver } from 'node:dns/promises'",
  ])
})

test('each file that opens connections is listed with its targets', () => {
  const opens =
    /import (?!type)[^;]*?\b(?:Agent|Client|Pool|request|fetch|stream|connect|createConnection|buildConnector|Socket)\b[^;]*? from '(?:undici|node:https?|node:http2|node:net|node:tls)'|(?<![\w.])fetch\(/
  expect(pathsWith(opens)).toEqual([
    // The hosts of DATABASE_URL.
    'db/hosts.ts',
    // The provider configured by the operator.
    'server/accounts/sign-in/provider-fetch.ts',
    // Connects to addresses that it has checked: the way to every name chosen by others.
    'server/net/safe-connect.ts',
    // This process.
    'server/programs/container/health-check.ts',
    // HubSpot itself; files it links to go through safe-connect.
    'server/sources/hubspot/hubspot-fetch.ts',
    // Both through safe-connect.
    'server/webhooks/dispatcher/contact.ts',
    'server/webhooks/dispatcher/safe-fetch.ts',
  ])
})
