import { getTableColumns, getTableName, isTable } from 'drizzle-orm'
import { expect, test } from 'vitest'
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
import { actions } from '../audit/action.ts'
import { keptNames } from '../backup/manifest.ts'
import { scopes } from '../tokens/policy.ts'

// Columns with few values store names. A name may be added; renaming or dropping one takes a migration.

/** `true` if two unions have the same members, otherwise `never`. */
type Same<One, Other> = [One, Other] extends [Other, One] ? true : never

// Columns whose names are only a type: the compiler rejects a missing or extra one.
true satisfies Same<typeof accounts.users.$inferSelect.role, 'admin' | 'member' | 'operator'>
true satisfies Same<typeof accounts.links.$inferSelect.kind, 'invitation' | 'reset' | 'sign-in'>
true satisfies Same<typeof deals.events.$inferSelect.type, 'deal.created' | 'deal.updated' | 'deal.removed'>
true satisfies Same<typeof sources.sources.$inferSelect.kind, 'hubspot' | 'sql'>
true satisfies Same<typeof sources.sourceStages.$inferSelect.kind, 'lost' | 'on-hold' | 'open' | 'won'>
true satisfies Same<typeof stages.stages.$inferSelect.kind, 'lost' | 'on-hold' | 'open' | 'won'>
true satisfies Same<
  typeof stages.stages.$inferSelect.tone,
  '' | 'blue' | 'gray' | 'green' | 'teal' | 'violet'
>
true satisfies Same<NonNullable<typeof webhooks.deliveries.$inferSelect.filter>, 'entered' | 'in' | 'left'>
true satisfies Same<
  typeof notifications.notificationSettings.$inferSelect.schedule,
  'at-once' | 'daily' | 'monday'
>
true satisfies Same<
  typeof notifications.notifications.$inferSelect.kind,
  'dates' | 'files' | 'items' | 'late' | 'messages' | 'stage'
>
true satisfies Same<typeof notifications.notificationDeliveries.$inferSelect.channel, 'mail' | 'push'>
true satisfies Same<typeof notifications.teamChannels.$inferSelect.service, 'slack' | 'teams'>
true satisfies Same<
  NonNullable<typeof notifications.teamChannels.$inferSelect.switchedOffBecause>,
  'admin' | 'rejected'
>
true satisfies Same<typeof webhooks.deliveries.$inferSelect.state, 'delivered' | 'failed' | 'waiting'>

test('columns with few distinct values store exactly these names', () => {
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
  expect(Object.fromEntries(found)).toEqual({
    'imports.decimal': [',', '.'],
    'imports.origin': ['command', 'undo', 'upload'],
    'imports.state': ['checked', 'checking', 'done', 'failed', 'importing', 'uploading'],
    'imports.storage': ['disk', 's3'],
    'endpoints.switched_off_because': ['failing', 'gone', 'suspended'],
    'deliveries.withdrawn_because': ['moved', 'removed', 'unassigned'],
  })
})

test.each<[string, readonly string[], string]>([
  ['tokens store these scopes', scopes, 'deals:read files:read insight:read webhooks:read webhooks:write'],
  [
    'audit entries store these actions',
    Object.keys(actions),
    `address.changed address.switched-on address.tested secret.revealed secret.rotated secret.finished
    delivery.resent deliveries.resent token.created token.rotated token.revoked user.invited
    user.role-changed user.removed user.reset scorecard.shared account.signed-in account.renamed
    account.time-zone-changed account.password-changed account.session-ended account.signed-out
    deals.exported deals.assigned audit.exported view.saved view.renamed view.removed partner.created
    partner.renamed partner.time-zone-changed partner.suspended partner.resumed source.looked-at
    source.connected source.disconnected source.paused source.resumed source.refreshed source.compared
    source.changed source.mapping-tried source.mapping-discarded source.removed-deals
    source.signing-secret-set source.token-changed source.removals-approved source.partner-assigned
    import.uploaded import.started import.discarded deal.removed file.added`,
  ],
  [
    'a backup stores the secrets of a data directory under these names',
    [...keptNames.keys()],
    'auth-secret encryption-key demo-access.json',
  ],
])('unchanged stored names: %s', (_, names, stored) => {
  expect(names).toEqual(expect.arrayContaining(stored.split(/\s+/)))
})
