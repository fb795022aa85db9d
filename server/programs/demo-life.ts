import type { Database, Transaction } from '#db/client.ts'
import { invite } from '../accounts/link.ts'
import type { Partner } from '../accounts/store.ts'
import type { Action } from '../audit/action.ts'
import { insertEntry } from '../audit/store.ts'
import { insertDemoHours } from '../health/demo-store.ts'
import { insertDemoQuestions } from '../messages/demo-store.ts'
import { type DemoUse, insertDemoUse } from '../tokens/demo-store.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { labelOf } from '../tokens/token.ts'
import { dayMs, hourMs, parseSpan } from '../values/units.ts'
import { insertDemoDeliveries } from '../webhooks/demo-store.ts'
import { retrySchedule } from '../webhooks/policy.ts'

/** A fictional demo token without a secret. */
interface DemoToken extends DemoUse {
  name: string
}

// The IP addresses are from blocks reserved for documentation (RFC 5737).
const tokens: DemoToken[] = [
  {
    name: 'CRM (demonstration)',
    createdDaysAgo: 60,
    revokedDaysAgo: null,
    requestsPerDay: 320,
    address: '203.0.113.24',
    agent: 'sunline-crm/3.1',
  },
  {
    name: 'Reports (demonstration)',
    createdDaysAgo: 41,
    revokedDaysAgo: null,
    requestsPerDay: 24,
    address: '203.0.113.61',
    agent: 'python-requests/2.32',
  },
  {
    name: 'Former CRM (demonstration)',
    createdDaysAgo: 200,
    revokedDaysAgo: 12,
    requestsPerDay: 90,
    address: '203.0.113.24',
    agent: 'sunline-crm/2.8',
  },
]

/**
 * Adds activity to a demo partner: webhooks with deliveries, tokens, questions, an invitation and audit
 * entries.
 */
export async function loadLife(
  db: Database,
  partner: Partner,
  { admin, member, operator }: { admin: string; member: string; operator: string },
): Promise<void> {
  const { createdAt: now } = partner
  const host = `https://crm.${partner.slug}.example`
  const urls = { create: `${host}/hooks/deal-created`, update: `${host}/hooks/deal-updated` }
  const email = `lena.ortega@${partner.slug}.example`
  const scheduleMs = retrySchedule.split(',').map((span) => parseSpan(span)!)
  await db.transaction(async (tx) => {
    if (!(await insertDemoDeliveries(tx, partner.id, urls, { now, scheduleMs }))) return
    const entries: [daysAgo: number, who: string, action: Action, subject: string][] = [
      [9.1, admin, 'address.changed', `createURL set to ${urls.create}, updateURL set to ${urls.update}`],
      [9, admin, 'address.tested', `createURL ${urls.create}`],
      [3.4, member, 'deals.exported', ''],
      [1.2, admin, 'account.signed-in', ''],
      [0.9, member, 'account.signed-in', ''],
    ]
    for (const token of tokens) {
      const label = await loadToken(tx, partner, token)
      entries.push([token.createdDaysAgo, admin, 'token.created', label])
      if (token.revokedDaysAgo !== null) entries.push([token.revokedDaysAgo, admin, 'token.revoked', label])
    }
    await insertDemoHours(tx)
    await insertDemoQuestions(tx, partner.id, { member, operator })
    entries.push([2 * (hourMs / dayMs), admin, 'user.invited', `${email} (member)`])
    for (const [daysAgo, who, action, subject] of entries.toSorted(([a], [b]) => b - a))
      await insertEntry(tx, {
        at: new Date(now.getTime() - daysAgo * dayMs),
        partnerId: partner.id,
        who,
        action,
        subject,
        address: '203.0.113.7',
      })
  })
  // This invitation is never sent.
  const deps = { db, publicUrl: 'https://deals.example' }
  await invite(deps, { email, name: 'Lena Ortega', role: 'member', partnerId: partner.id })
}

async function loadToken(tx: Transaction, { id: partnerId }: Partner, token: DemoToken): Promise<string> {
  const { id, prefix } = await issueToken(tx, { partnerId, name: token.name, expiresAt: null })
  await insertDemoUse(tx, id, token)
  return labelOf({ name: token.name, prefix })
}
