import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// Holds who may open connections, and by which look-up: the system's own (getaddrinfo) takes one of four threads for as long
// as a name server is silent, so that a name which a partner or a CRM chooses must never get there.

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

test('one file looks names up, and not by the system’s own look-up', () => {
  expect(pathsWith(/['"](?:node:)?dns(?:\/promises)?['"]/)).toEqual(['server/protocol/resolve.ts'])
  const { text } = sources.find(({ path }) => path === 'server/protocol/resolve.ts')!
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
    // The provider that the operator has configured.
    'server/accounts/sign-in/provider-fetch.ts',
    // Connects to addresses that it has checked: the way to every name that somebody else chooses.
    'server/protocol/safe-connect.ts',
    // This process.
    'server/runtime/container/health-check.ts',
    // HubSpot itself; files it links to go through safe-connect.
    'server/sources/hubspot/hubspot-fetch.ts',
    // Both by safe-connect.
    'server/webhooks/dispatcher/contact.ts',
    'server/webhooks/dispatcher/safe-fetch.ts',
  ])
})
