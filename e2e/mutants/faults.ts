/** A plausible fault: one change to one file, and the tests that must catch the fault. */
export interface Fault {
  file: string
  /** Text that occurs exactly once in the file. */
  find: string
  replace: string
  /** Parts of the paths of test files. */
  tests: string[]
}

/** Faults by file. Each must be caught by `tests`, by default the test file beside the file. */
const files: { file: string; tests?: string[]; changes: [find: string, replace: string][] }[] = [
  {
    file: 'server/tokens/token.ts',
    changes: [
      ['checksum(match[1]!) === match[2]', 'match[2] !== undefined'],
      ["hash('sha256', text)", "hash('sha1', text)"],
      ['d: dayMs }', 'd: hourMs }'],
    ],
  },
  {
    file: 'server/values/int64.ts',
    changes: [
      ['export const int64Max = 2n ** 63n - 1n', 'export const int64Max = 2n ** 63n'],
      ['return holdsInexact(value) ? JSON.parse(text, exactInteger) : value', 'return value'],
    ],
  },
  {
    file: 'server/values/zone.ts',
    changes: [
      [
        'return isDate(ms) ? { ms, isDate: true, zone: utc } : { ms, isDate: false, zone }',
        'return { ms, isDate: isDate(ms), zone }',
      ],
      ['first === last ? first : null', 'first'],
    ],
  },
  {
    file: 'server/values/zone.ts',
    tests: ['server/values/zone.test.ts', 'server/deals/evidence.test.ts'],
    changes: [['ms + datePassesAfterMs : ms', 'ms : ms']],
  },
  {
    file: 'server/values/day-choice.ts',
    changes: [
      ["'last-7-days': (today) => addDays(today, -6)", "'last-7-days': (today) => addDays(today, -7)"],
      [
        'return { from: inDays(1 - choice.days), to: today }',
        'return { from: inDays(-choice.days), to: today }',
      ],
    ],
  },
  {
    file: 'server/values/csv.ts',
    changes: [
      [
        "const formula = /^'*[=+\\-@\\t\\r\\uff1d\\uff0b\\uff0d\\uff20]/",
        "const formula = /^'*[=+\\-@\\t\\r]/",
      ],
    ],
  },
  {
    file: 'server/net/ip-address.ts',
    changes: [
      [
        'if (contains(metadata, reached)) return',
        'if (contains(metadata, reached) && !contains(allowed, reached)) return',
      ],
      ['192.168.0.0/16, ', ''],
    ],
  },
  {
    file: 'server/admission/admission.ts',
    changes: [
      ['moveToEnd(this.#groups, groupName, group)', ''],
      ['member.running < perMember', 'member.running <= perMember'],
    ],
  },
  {
    file: 'server/errors.ts',
    changes: [['(?:(?:08|53)\\w\\w\\w|57014', '(?:(?:08|53)\\w\\w\\w']],
  },
  {
    file: 'server/webhooks/signature.ts',
    changes: [['.update(`${id}.${timestampOf(at)}.`)', '.update(`${id}.`)']],
  },
  {
    file: 'server/webhooks/delivery.ts',
    changes: [
      ['error === null && status !== null', 'return status !== null'],
      ['Math.min(requestedMs, 2 * throttled)', 'requestedMs'],
    ],
  },
  {
    file: 'server/webhooks/health.ts',
    changes: [['lastSuccessAt >= updatedAt', 'lastSuccessAt !== updatedAt']],
  },
  {
    file: 'server/deals/change.ts',
    tests: ['server/deals/change.test.ts', 'server/deals/deal-writer.test.ts'],
    changes: [["new Set(['lastModified', 'timeInCurrentStage'])", "new Set(['lastModified'])"]],
  },
  {
    file: 'server/deals/event-store.ts',
    tests: ['server/deals'],
    changes: [
      [
        'former === null ? [] : [removalOf(id, former, facts)]',
        'true ? [] : [removalOf(id, former!, facts)]',
      ],
    ],
  },
  {
    file: 'server/deals/evidence.ts',
    changes: [
      ['return sequentialSteps.findLastIndex(isOver) + 1', 'return sequentialSteps.filter(isOver).length'],
      [
        "return { candidates: byDates >= last && deal.stage ? ['payment'] : [], isStageBehind: false }",
        "return { candidates: byDates >= last ? ['payment'] : ['survey'], isStageBehind: false }",
      ],
    ],
  },
  {
    file: 'server/deals/blocker.ts',
    tests: ['server/deals/evidence.test.ts'],
    changes: [['return values.size === 1 ? [...values][0]! : null', 'return [...values][0] ?? null']],
  },
  {
    file: 'server/deals/timeline.ts',
    changes: [
      [
        'if (planMs !== null && dayNumberOfValue(planMs, now.zone) < now.day) return',
        'if (planMs !== null && dayNumberOfValue(planMs, now.zone) <= now.day) return',
      ],
    ],
  },
  {
    file: 'server/deals/payment.ts',
    changes: [['isSlow: isNow && now.days > days.slow', 'isSlow: now.days > days.slow']],
  },
  {
    file: 'server/deals/search-text.ts',
    changes: [[".normalize('NFKD')\n    .toLowerCase()", ".normalize('NFKD')"]],
  },
  {
    file: 'server/values/text.ts',
    changes: [['inner.isWellFormed() ?', 'inner !== null ?']],
  },
  {
    file: 'server/values/number.ts',
    changes: [['return isMinus ? -value : value', 'return value']],
  },
  {
    file: 'server/stages/stage.ts',
    tests: ['server/stages'],
    changes: [['if (!notYet.test(name)) {', 'if (name !== undefined) {']],
  },
  {
    file: 'server/stages/spelling.ts',
    tests: ['server/stages'],
    changes: [[".normalize('NFKC').toLowerCase()", ".normalize('NFKC')"]],
  },
  {
    file: 'server/files/download.ts',
    changes: [['Math.min(Number(last), end)', 'Number(last)']],
  },
  {
    file: 'server/files/signature.ts',
    changes: [['if (now >= expiresAt || !timingSafeEqual', 'if (!timingSafeEqual']],
  },
  {
    file: 'server/deals/store.ts',
    tests: ['server/deals/store.test.ts', 'server/house/tenancy.test.ts'],
    changes: [
      [
        '.select({ json: deals.json, given: deals.given, version: deals.renderVersion })\n    .from(deals)\n    .where(and(eq(deals.id, id), within(tenant, deals.partnerId)))',
        '.select({ json: deals.json, given: deals.given, version: deals.renderVersion })\n    .from(deals)\n    .where(eq(deals.id, id))',
      ],
    ],
  },
  {
    file: 'server/deals/event-store.ts',
    tests: ['server/deals/store.test.ts', 'server/house/tenancy.test.ts'],
    changes: [['where partner_id = ${partnerId} and sequence > ${from}', 'where sequence > ${from}']],
  },
  {
    file: 'server/deals/store.ts',
    tests: ['server/deals', 'server/house/tenancy.test.ts'],
    changes: [
      [
        '            eq(deals.partnerId, partnerId),\n            after === null',
        '            after === null',
      ],
    ],
  },
  {
    file: 'server/accounts/store.ts',
    tests: ['server/search', 'server/house/tenancy.test.ts'],
    changes: [
      [
        'isEveryone(tenant) ? driver`true` : driver`${partnerId} = ${tenant}`',
        'isEveryone(tenant) ? driver`true` : driver`${partnerId} >= ${tenant}`',
      ],
    ],
  },
  {
    file: 'server/deals/event-store.ts',
    tests: ['server/deals', 'server/house/tenancy.test.ts'],
    changes: [['and ${isWithin(sql, tenant, sql`deals.partner_id`)}', '']],
  },
  {
    file: 'server/tokens/store.ts',
    tests: ['server/tokens', 'server/house/tenancy.test.ts'],
    changes: [
      [
        '.set({ revokedAt: sql`coalesce(${tokens.revokedAt}, now())` })\n    .where(and(eq(tokens.id, id), within(tenant, tokens.partnerId)))',
        '.set({ revokedAt: sql`coalesce(${tokens.revokedAt}, now())` })\n    .where(eq(tokens.id, id))',
      ],
    ],
  },
  {
    file: 'server/views/store.ts',
    tests: ['server/views', 'server/house/tenancy.test.ts'],
    changes: [
      [
        '.where(and(within(tenant), or(eq(views.userId, userId), views.isShared)))',
        '.where(or(eq(views.userId, userId), views.isShared))',
      ],
    ],
  },
  {
    file: 'server/audit/store.ts',
    tests: ['server/audit', 'server/house/tenancy.test.ts'],
    changes: [
      ['isEveryone(tenant) ? sql`true` : sql`partner_id between ${tenant} and ${tenant}`', 'sql`true`'],
    ],
  },
  {
    file: 'server/access/actor.ts',
    changes: [
      ["const tenant = role === 'operator' ? everyone : partnerId", 'const tenant = partnerId ?? everyone'],
      ["if (!isInternal(actor)) throw new ApiError('FORBIDDEN', 'This page belongs to another partner')", ''],
    ],
  },
  {
    file: 'server/access/token-access.ts',
    tests: ['server/access', 'server/partners'],
    changes: [
      ['and token.revoked_at is null and partner.suspended_at is null', 'and token.revoked_at is null'],
    ],
  },
  {
    file: 'server/access/procedure.ts',
    tests: ['server/http', 'server/tokens', 'server/house/tenancy.test.ts'],
    changes: [['if (!actor.scopes.includes(scope)) {', 'if (actor.scopes.length === 0) {']],
  },
  {
    file: 'server/access/capability.ts',
    tests: ['server/access', 'server/partners'],
    changes: [["operate: ['operator'],", 'operate: managerRoles,']],
  },
  {
    file: 'server/search/step-store.ts',
    tests: ['server/search', 'server/insight/numbers.test.ts'],
    changes: [['isDueOn(sql, { to: addDays(today, -1) }, zone)', 'isDueOn(sql, { to: today }, zone)']],
  },
  {
    file: 'server/search/condition-store.ts',
    tests: ['server/search'],
    changes: [['and person.roles & ${rolesOf(roles)}::integer <> 0', '']],
  },
  {
    file: 'server/webhooks/queue-store.ts',
    tests: ['server/webhooks/queue-'],
    changes: [
      [
        'and delivery.lease = result.lease and delivery.leased_until is not null',
        'and delivery.leased_until is not null',
      ],
      [
        "and earlier.sequence < delivery.sequence and earlier.state = 'waiting')",
        "and earlier.sequence < delivery.sequence and earlier.state = 'never')",
      ],
      ['coalesce(bool_or(status = 410), false) as gone', 'false as gone'],
    ],
  },
  {
    file: 'server/webhooks/queue-store.ts',
    tests: ['server/webhooks'],
    changes: [
      [
        "when result.state = 'waiting' and delivery.withdrawn_because is not null then 'failed'",
        "when result.state = 'never' then 'failed'",
      ],
    ],
  },
  {
    file: 'server/access/audited.ts',
    tests: ['server/house/audited.test.ts'],
    changes: [
      [
        "await write(tx, actor, typeof entry === 'function' ? entry(result) : entry)",
        "void (typeof entry === 'function' ? entry(result) : write)",
      ],
    ],
  },
  {
    file: 'server/accounts/session-store.ts',
    tests: ['server/accounts'],
    changes: [
      [
        'if (user === undefined || user.sessionsEnded !== sessionsEnded) return false',
        'if (user === undefined) return false',
      ],
    ],
  },
  {
    file: 'server/accounts/sign-in/authenticate.ts',
    tests: ['server/accounts'],
    changes: [["if ((await unlessSuspended(db, link)) === 'suspended') return 'suspended'", '']],
  },
  {
    file: 'db/migrations/0005_search-and-subscriptions.sql',
    tests: ['server/webhooks/subscription-store.test.ts'],
    changes: [
      ["THEN 'in' ELSE 'left' END", "THEN 'in' END"],
      ["withdrawn.filter = 'left')", "withdrawn.filter = 'none')"],
    ],
  },
  {
    file: 'server/deals/event-facts.ts',
    tests: ['server/webhooks/subscription-store.test.ts'],
    changes: [['if (relevant.length === 0) return after', 'if (relevant.length >= 0) return after']],
  },
  {
    file: 'server/webhooks/subscription-store.ts',
    changes: [['else ${lastSequence(partnerId)} end`', 'else ${endpoints.sinceSequence} end`']],
  },
  {
    file: 'server/webhooks/dispatcher/dispatcher.ts',
    changes: [
      ['if (isIdle) endpointQueues.delete(key)', 'if (isIdle && key === "") endpointQueues.delete(key)'],
    ],
  },
  {
    file: 'server/search/condition-store.ts',
    tests: ['server/search/operations.test.ts'],
    changes: [
      [
        '`(coalesce(flags, 0) & ${mask}::integer) = ${wanted}::integer`',
        '`(coalesce(flags, 0) & ${wanted}::integer) = ${wanted}::integer`',
      ],
    ],
  },
  {
    file: 'server/http/rest-answer.ts',
    tests: ['server/http', 'e2e/rest'],
    changes: [
      [
        'return header === undefined ? () => false : (etag) => header === etag || matches(header, etag)',
        'return () => header !== undefined',
      ],
      [
        "const cacheHeaders = { Vary: 'Authorization, Accept-Encoding', ",
        "const cacheHeaders = { Vary: 'Accept-Encoding', ",
      ],
    ],
  },
  {
    file: 'server/http/rest-answer.ts',
    changes: [['`${listIdOf(tenant)} ${coding} ${call}`', '`${coding} ${call}`']],
  },
  {
    file: 'server/access/rate-limit.ts',
    changes: [
      ['if (isEveryone(tenant) || token.isOver) return ofToken', 'if (isEveryone(tenant)) return ofToken'],
    ],
  },
  {
    file: 'server/http/rest.ts',
    tests: ['server/http', 'e2e/rest'],
    changes: [['const cached = mayCall ?', 'const cached = actor.tokenId > 0 ?']],
  },
  {
    file: 'server/net/safe-connect.ts',
    tests: ['server/webhooks', 'server/net'],
    changes: [
      [
        'if (addresses.some((address) => ipAddressProblem(address, allowed) !== null))',
        'if (addresses.every((address) => ipAddressProblem(address, allowed) !== null))',
      ],
    ],
  },
  {
    file: 'app/ui/format.ts',
    changes: [['inForm(isThisYear ?', 'inForm(time !== null ?']],
  },
  {
    file: 'app/page-query.ts',
    tests: ['deals/query.test.ts'],
    changes: [["direction: text.startsWith('-') ? 'desc' : 'asc'", "direction: 'asc'"]],
  },
]

export const faults: Fault[] = files.flatMap(
  ({ file, tests = [file.replace(/\.tsx?$/, '.test.ts')], changes }) =>
    changes.map(([find, replace]) => ({ file, find, replace, tests })),
)
