import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// Unawaited work is bounded: by `Services.background`, or where it starts, as listed here.

const root = join(import.meta.dirname, '../..')

/** Work that is started without waiting for it, and its bound. */
const bounded: Record<string, string> = {
  'db/admitted.ts: void Promise.prototype.then.call(statement, end, end)': 'an admitted statement',
  'db/admitted.ts: void sendAdmitted(statement, send, admitted)': 'a statement that waits to be admitted',
  'db/replica.ts: void close(link)': 'one connection at a time is opened and closed',
  'db/hosts.ts: void openOn(socket, options)': 'the connections of a pool',
  'db/hosts.ts: void watch(options)': 'one at a time of a pool',
  'server/accounts/mail/mailer.ts: void check.then(() => (known = check))': 'one check a minute',
  'server/access/batched-lookup.ts: void older.then(() => setImmediate(send)),':
    'one batch waits for the one before',
  'server/http/live.ts: void check().catch(() => {})': 'one at a time',
  'server/main.ts: void stopping.then(() => {': 'once in a process',
  'server/main.ts: void watch(), secondMs)': 'one at a time',
  'server/operator.ts: void cleanUp().finally(() => process.exit(1))': 'ends the process',
  'server/admission/buffered-counter.ts: void this.#persistAll(), persistAfterMs))': 'one batch at a time',
  'server/admission/repeat.ts: void run(), dueAt - now)': 'one at a time',
  'server/programs/metrics.ts: void databaseFigures': 'one read of the database at a time',
  'server/sources/sql/sql-source.ts: void this.#sql.end({ timeout: 0 })': 'one connection of a source',
  'server/webhooks/dispatcher/dispatcher.ts: void endpointQueue.pump()':
    'the attempts at once of an endpoint',
  'server/webhooks/dispatcher/endpoint-queue.ts: void this.#send(this.#ahead.shift()!)':
    'the attempts at once of an endpoint',
  'server/webhooks/dispatcher/endpoint-queue.ts: void this.pump(), gatherMs)':
    'the attempts at once of an endpoint',
  'server/webhooks/dispatcher/recorder.ts: void flush()': 'one at a time',
  'server/webhooks/dispatcher/recorder.ts: void flush(), gatherMs)': 'one at a time',
}

// These return at once: they add to a list, write to a stream, or register a callback or a metric.
const atOnce =
  /void (?:new (?:Gauge|Counter|Histogram)\b|process\.\w+\.write\(|(?:runner\.)?write(?:Error)?\(|copy\.write\(|crm\.close\(|[\w.]+\.(?:add|push)\(|server\.close\(resolve\)|services\.background\(|Object\.assign\(|\((?:await|null|sample)\b)/

test('each unawaited promise has a stated bound', () => {
  const begun = globSync(['server/**/*.ts', 'db/**/*.ts'], { cwd: root })
    .filter((path) => !/\.test\.ts$|^db\/test-/.test(path))
    .toSorted()
    .flatMap((path) =>
      readFileSync(join(root, path), 'utf8')
        .split('\n')
        .filter((line) => /(?:^ *|[=>?:(] |else |\()void [a-z(#]/i.test(line) && !atOnce.test(line))
        .map((line) => `${path}: ${/void [^]*/.exec(line.trim())![0]}`),
    )
  expect([...new Set(begun)].toSorted()).toEqual(Object.keys(bounded).toSorted())
})
