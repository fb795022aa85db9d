import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileQuotaBytes, formatGb } from '#server/accounts/limit.ts'
import { linkLifetimeMs } from '#server/accounts/policy.ts'
import { roles } from '#server/accounts/role.ts'
import { limits } from '#server/accounts/throttle.ts'
import { dealFileMaxBytes, filesPerDealMax, freeDiskMinBytes } from '#server/files/policy.ts'
import { inputMaxBytes } from '#server/http/policy.ts'
import { readerTimeouts } from '#server/http/streamed.ts'
import { importFileMaxBytes, undoRetentionDays } from '#server/imports/policy.ts'
import { pollWithoutStreamMs } from '#server/live/policy.ts'
import { pingMs } from '#server/live/wire.ts'
import { notificationRetentionDays } from '#server/notifications/policy.ts'
import { postedDealsMax } from '#server/notifications/team-channel.ts'
import { collectMs } from '#server/notifications/when.ts'
import { adminSilentDays } from '#server/partners/policy.ts'
import { partMaxBytes } from '#server/readers/read-parts.ts'
import { readConfig } from '#server/runtime/env.ts'
import { tokenPrefix } from '#server/tokens/policy.ts'
import { dayMs, formatLimit, hourMs, minuteMs, secondMs } from '#server/values/units.ts'
import { secretOverlapMs } from '#server/webhooks/policy.ts'

// The guides state limits as plain numbers, because they must be readable in the repository, too. These tests
// compare the numbers with the code.

const leaseS = readConfig({}).webhookLeaseMs / secondMs

const stated: [page: string, text: string][] = [
  ['(guides)/first-call/page.mdx', `export TOKEN=${tokenPrefix}…`],
  ['operate/files/page.mdx', `up to ${formatLimit(dealFileMaxBytes)} each and ${filesPerDealMax} for a deal`],
  ['operate/files/page.mdx', `the largest one (${formatLimit(importFileMaxBytes)}, three at once)`],
  ['operate/sources/page.mdx', `At most ${formatLimit(dealFileMaxBytes)} are copied.`],
  ['operate/accounts/page.mdx', `lets somebody in once, within ${linkLifetimeMs.invitation / dayMs} days`],
  ['operate/imports/page.mdx', `At most ${formatLimit(partMaxBytes)} of XML`],
  ['operate/imports/page.mdx', `For ${undoRetentionDays} days an import`],
  ['operate/partners/page.mdx', `the old one keeps signing for ${secretOverlapMs / hourMs} hours`],
  ['operate/partners/page.mdx', `A test event can be sent ${limits['webhook-test'].max} times a minute`],
  ['operate/accounts/page.mdx', `whose admins have not signed in for ${adminSilentDays} days`],
  ['operate/partners/page.mdx', `take at most ${formatGb(fileQuotaBytes)} GB.`],
  ['operate/partners/page.mdx', `has less than ${formatLimit(freeDiskMinBytes)} left`],
  ['operate/notifications/page.mdx', `Notifications are kept for ${notificationRetentionDays} days`],
  [
    'operate/notifications/page.mdx',
    `one message every ${collectMs / minuteMs} minutes, with up to ${postedDealsMax} deals`,
  ],
  [
    'operate/security/page.mdx',
    `reads nothing for ${readerTimeouts.idleMs / secondMs} seconds is disconnected`,
  ],
  ['operate/security/page.mdx', `an export ends after ${readerTimeouts.totalMs / minuteMs} minutes at most`],
  ['operate/security/page.mdx', `After ${limits['sign-in-failure'].max} wrong passwords`],
  [
    'operate/install/page.mdx',
    `pages check for changes every ${pollWithoutStreamMs / secondMs} seconds instead`,
  ],
  ['operate/install/page.mdx', `must be longer than ${pingMs / secondMs} seconds`],
  ['operate/install/page.mdx', "nginx's 60 seconds are fine"],
  ['develop/how-it-works.md', `with \`SKIP LOCKED\`, for ${leaseS} seconds`],
  ['develop/how-it-works.md', `at most ${formatLimit(inputMaxBytes)} except for parts of import files`],
  // Measured values, and limits of other products.
  ['operate/files/page.mdx', 'Measured with a file of 5 GiB'],
  ['operate/files/page.mdx', 'and one of 256 MiB added in the portal'],
  [
    'operate/files/page.mdx',
    'the server peaked at 385 MB and the commands at 240 MB; with a file of 64 MiB in its place at 347 and 220 MB',
  ],
  ['operate/files/page.mdx', 'A file in a store is at most 80 GB'],
  ['operate/sources/page.mdx', 'reads up to 950 deals a second at that pace'],
]

const textOf = (page: string) =>
  readFileSync(join(import.meta.dirname, page), 'utf8').split('{/* Generated')[0]!

test.each(stated)('the page %s states: %s', (page, text) => expect(textOf(page)).toContain(text))

const amount = /\b\d[\d,.]* (?:times a|(?:second|minute|hour|day)s?\b|[KMG]i?B\b)/g

test('every duration and byte size in a guide is compared with the code', () => {
  const pages = globSync('{operate/**/page.mdx,(guides)/**/page.mdx,develop/how-it-works.md}', {
    cwd: import.meta.dirname,
  }).filter((page) => !/(?:high-availability|containers)\/page/.test(page))
  expect(pages.length).toBeGreaterThan(15)
  const unknown = pages.flatMap((page) => {
    const rest = stated.reduce(
      (text, [where, phrase]) => (where === page ? text.replaceAll(phrase, '') : text),
      textOf(page),
    )
    return [...rest.matchAll(amount)].map(([found]) => `${page}: ${found}`)
  })
  expect(unknown).toEqual([])
})

test('the partners guide documents what each role can see', () => {
  for (const role of roles) expect(textOf('operate/partners/page.mdx'), role).toContain(`\n| ${role} | `)
})
