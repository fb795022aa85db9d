import { getTableColumns, getTableName, isTable } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as accounts from '#db/schema/accounts.ts'
import * as audit from '#db/schema/audit.ts'
import * as deals from '#db/schema/deals.ts'
import * as files from '#db/schema/files.ts'
import * as imports from '#db/schema/imports.ts'
import * as notifications from '#db/schema/notifications.ts'
import * as sources from '#db/schema/sources.ts'
import * as stages from '#db/schema/stages.ts'
import * as tokens from '#db/schema/tokens.ts'
import * as views from '#db/schema/views.ts'
import * as webhooks from '#db/schema/webhooks.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { actions } from '../audit/action.ts'
import { keptNames } from '../backup/manifest.ts'
import { scopes } from '../tokens/scope.ts'

// Stored enumerations use names, not positions. Names may be added; renaming or dropping one takes a
// migration.

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** Names each value of a column once: the compiler rejects a missing or extra one. */
const namesOf = <Value extends string>(values: Record<Value, true>) => Object.keys(values).toSorted()

/** Columns whose values a server rule lists, and the schema has only as a type. */
const typed = {
  'users.role': namesOf<typeof accounts.users.$inferSelect.role>({
    admin: true,
    member: true,
    operator: true,
  }),
  'links.kind': namesOf<typeof accounts.links.$inferSelect.kind>({
    invitation: true,
    reset: true,
    'sign-in': true,
  }),
  'events.type': namesOf<typeof deals.events.$inferSelect.type>({
    'deal.created': true,
    'deal.updated': true,
  }),
  'sources.kind': namesOf<typeof sources.sources.$inferSelect.kind>({ hubspot: true, sql: true }),
  'source_stages.kind': namesOf<typeof sources.sourceStages.$inferSelect.kind>({
    lost: true,
    'on-hold': true,
    open: true,
    won: true,
  }),
  'stages.kind': namesOf<typeof stages.stages.$inferSelect.kind>({
    lost: true,
    'on-hold': true,
    open: true,
    won: true,
  }),
  'stages.tone': namesOf<typeof stages.stages.$inferSelect.tone>({
    '': true,
    blue: true,
    gray: true,
    green: true,
    teal: true,
    violet: true,
  }),
  'endpoints.kind': namesOf<typeof webhooks.endpoints.$inferSelect.kind>({ create: true, update: true }),
  'deliveries.kind': namesOf<typeof webhooks.deliveries.$inferSelect.kind>({ create: true, update: true }),
  'notification_settings.schedule': namesOf<typeof notifications.notificationSettings.$inferSelect.schedule>({
    'at-once': true,
    daily: true,
    monday: true,
  }),
  'notifications.kind': namesOf<typeof notifications.notifications.$inferSelect.kind>({
    dates: true,
    files: true,
    items: true,
    late: true,
    messages: true,
    stage: true,
  }),
  'notification_deliveries.channel': namesOf<
    typeof notifications.notificationDeliveries.$inferSelect.channel
  >({ mail: true, push: true }),
  'team_channels.service': namesOf<typeof notifications.teamChannels.$inferSelect.service>({
    slack: true,
    teams: true,
  }),
  'team_channels.switched_off_because': namesOf<
    NonNullable<typeof notifications.teamChannels.$inferSelect.switchedOffBecause>
  >({ admin: true, rejected: true }),
  'deliveries.state': namesOf<typeof webhooks.deliveries.$inferSelect.state>({
    delivered: true,
    failed: true,
    waiting: true,
  }),
}

test('columns with few values store these names', () => {
  const tables = [
    accounts,
    audit,
    deals,
    files,
    imports,
    notifications,
    sources,
    stages,
    tokens,
    views,
    webhooks,
  ].flatMap((schema) => Object.values<unknown>(schema).filter((value) => isTable(value)))
  const found = tables.flatMap((table) =>
    Object.values(getTableColumns(table)).flatMap((column) =>
      column.enumValues === undefined || column.enumValues.length === 0
        ? []
        : [[`${getTableName(table)}.${column.name}`, column.enumValues.toSorted()] as const],
    ),
  )
  expect({ ...Object.fromEntries(found), ...typed }).toEqual({
    'users.role': ['admin', 'member', 'operator'],
    'links.kind': ['invitation', 'reset', 'sign-in'],
    'events.type': ['deal.created', 'deal.updated'],
    'imports.decimal': [',', '.'],
    'imports.origin': ['command', 'undo', 'upload'],
    'imports.state': ['checked', 'checking', 'done', 'failed', 'importing', 'uploading'],
    'imports.storage': ['disk', 's3'],
    'sources.kind': ['hubspot', 'sql'],
    'source_stages.kind': ['lost', 'on-hold', 'open', 'won'],
    'stages.kind': ['lost', 'on-hold', 'open', 'won'],
    'stages.tone': ['', 'blue', 'gray', 'green', 'teal', 'violet'],
    'endpoints.kind': ['create', 'update'],
    'endpoints.switched_off_because': ['failing', 'gone', 'suspended'],
    'deliveries.kind': ['create', 'update'],
    'deliveries.state': ['delivered', 'failed', 'waiting'],
    'deliveries.withdrawn_because': ['moved', 'removed', 'unassigned'],
    'notification_settings.schedule': ['at-once', 'daily', 'monday'],
    'notifications.kind': ['dates', 'files', 'items', 'late', 'messages', 'stage'],
    'notification_deliveries.channel': ['mail', 'push'],
    'team_channels.service': ['slack', 'teams'],
    'team_channels.switched_off_because': ['admin', 'rejected'],
  })
})

test('the database has no enum types, whose values have an order', async () => {
  expect([
    ...(await database.db
      .$client`select typname from pg_type where typtype = 'e' and typnamespace = 'public'::regnamespace`),
  ]).toEqual([])
})

test('tokens store their scopes by name', () => {
  expect(scopes).toEqual(
    expect.arrayContaining(['deals:read', 'files:read', 'insight:read', 'webhooks:read', 'webhooks:write']),
  )
})

test('audit entries store their actions by name', () => {
  expect(Object.keys(actions)).toEqual(
    expect.arrayContaining([
      'address.changed',
      'address.switched-on',
      'address.tested',
      'secret.revealed',
      'secret.rotated',
      'secret.finished',
      'delivery.resent',
      'deliveries.resent',
      'token.created',
      'token.rotated',
      'token.revoked',
      'user.invited',
      'user.role-changed',
      'user.removed',
      'user.reset',
      'scorecard.shared',
      'account.signed-in',
      'account.renamed',
      'account.time-zone-changed',
      'account.password-changed',
      'account.session-ended',
      'account.signed-out',
      'deals.exported',
      'deals.assigned',
      'audit.exported',
      'view.saved',
      'view.renamed',
      'view.removed',
      'partner.created',
      'partner.renamed',
      'partner.time-zone-changed',
      'partner.suspended',
      'partner.resumed',
      'source.looked-at',
      'source.connected',
      'source.disconnected',
      'source.paused',
      'source.resumed',
      'source.refreshed',
      'source.compared',
      'source.changed',
      'source.mapping-tried',
      'source.mapping-discarded',
      'source.removed-deals',
      'source.signing-secret-set',
      'source.token-changed',
      'source.removals-approved',
      'source.partner-assigned',
      'import.uploaded',
      'import.started',
      'import.discarded',
      'deal.removed',
      'file.added',
    ]),
  )
})

test("a backup stores a data directory's secrets by file name", () => {
  expect([...keptNames.keys()]).toEqual(
    expect.arrayContaining(['auth-secret', 'encryption-key', 'demo-access.json']),
  )
})
