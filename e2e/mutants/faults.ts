/** A plausible fault: one change to one file, and the tests that must catch the fault. */
export interface Fault {
  file: string
  /** Text that occurs exactly once in the file. */
  find: string
  replace: string
  /** Parts of the paths of test files. */
  tests: string[]
}

const rules: Fault[] = [
  {
    file: 'server/tokens/token.ts',
    find: 'checksum(match[1]!) === match[2]',
    replace: 'match[2] !== undefined',
    tests: ['server/tokens/token.test.ts'],
  },
  {
    file: 'server/tokens/token.ts',
    find: "hash('sha256', text)",
    replace: "hash('sha1', text)",
    tests: ['server/tokens/token.test.ts'],
  },
  {
    file: 'server/tokens/token.ts',
    find: 'd: dayMs }',
    replace: 'd: hourMs }',
    tests: ['server/tokens/token.test.ts'],
  },
  {
    file: 'server/values/int64.ts',
    find: 'export const int64Max = 2n ** 63n - 1n',
    replace: 'export const int64Max = 2n ** 63n',
    tests: ['server/values/int64.test.ts'],
  },
  {
    file: 'server/values/int64.ts',
    find: 'return holdsInexact(value) ? JSON.parse(text, exactInteger) : value',
    replace: 'return value',
    tests: ['server/values/int64.test.ts'],
  },
  {
    file: 'server/values/zone.ts',
    find: 'return isDate(ms) ? { ms, isDate: true, zone: utc } : { ms, isDate: false, zone }',
    replace: 'return { ms, isDate: isDate(ms), zone }',
    tests: ['server/values/zone.test.ts'],
  },
  {
    file: 'server/values/zone.ts',
    find: 'first === last ? first : null',
    replace: 'first',
    tests: ['server/values/zone.test.ts'],
  },
  {
    file: 'server/values/zone.ts',
    find: 'ms + datePassesAfterMs : ms',
    replace: 'ms : ms',
    tests: ['server/values/zone.test.ts', 'server/deals/evidence.test.ts'],
  },
  {
    file: 'server/values/day-choice.ts',
    find: "'last-7-days': (today) => addDays(today, -6)",
    replace: "'last-7-days': (today) => addDays(today, -7)",
    tests: ['server/values/day-choice.test.ts'],
  },
  {
    file: 'server/values/csv.ts',
    find: String.raw`const formula = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/`,
    replace: String.raw`const formula = /^'*[=+\-@\t\r]/`,
    tests: ['server/values/csv.test.ts'],
  },
  {
    file: 'server/net/ip-address.ts',
    find: 'if (contains(metadata, reached)) return',
    replace: 'if (contains(metadata, reached) && !contains(allowed, reached)) return',
    tests: ['server/net/ip-address.test.ts'],
  },
  {
    file: 'server/net/ip-address.ts',
    find: '192.168.0.0/16, ',
    replace: '',
    tests: ['server/net/ip-address.test.ts'],
  },
  {
    file: 'server/admission/admission.ts',
    find: 'moveToEnd(this.#groups, groupName, group)',
    replace: '',
    tests: ['server/admission/admission.test.ts'],
  },
  {
    file: 'server/admission/admission.ts',
    find: 'member.running < perMember',
    replace: 'member.running <= perMember',
    tests: ['server/admission/admission.test.ts'],
  },
  {
    file: 'server/errors.ts',
    find: String.raw`(?:(?:08|53)\w\w\w|57014`,
    replace: String.raw`(?:(?:08|53)\w\w\w`,
    tests: ['server/errors.test.ts'],
  },
  {
    file: 'server/webhooks/signature.ts',
    find: '.update(`${id}.${timestampOf(at)}.`)',
    replace: '.update(`${id}.`)',
    tests: ['server/webhooks/signature.test.ts'],
  },
  {
    file: 'server/webhooks/delivery.ts',
    find: 'error === null && status !== null',
    replace: 'return status !== null',
    tests: ['server/webhooks/delivery.test.ts'],
  },
  {
    file: 'server/webhooks/delivery.ts',
    find: 'Math.min(requestedMs, 2 * throttled)',
    replace: 'requestedMs',
    tests: ['server/webhooks/delivery.test.ts'],
  },
  {
    file: 'server/webhooks/health.ts',
    find: 'lastSuccessAt >= updatedAt',
    replace: 'lastSuccessAt !== updatedAt',
    tests: ['server/webhooks/health.test.ts'],
  },
  {
    file: 'server/deals/change.ts',
    find: "new Set(['lastModified', 'timeInCurrentStage'])",
    replace: "new Set(['lastModified'])",
    tests: ['server/deals/change.test.ts', 'server/deals/deal-writer.test.ts'],
  },
  {
    file: 'server/deals/event-store.ts',
    find: 'former === null ? [] : [removalOf(id, former, facts)]',
    replace: 'true ? [] : [removalOf(id, former!, facts)]',
    tests: ['server/deals'],
  },
  {
    file: 'server/deals/evidence.ts',
    find: 'return sequentialSteps.findLastIndex(isOver) + 1',
    replace: 'return sequentialSteps.filter(isOver).length',
    tests: ['server/deals/evidence.test.ts'],
  },
  {
    file: 'server/deals/evidence.ts',
    find: "return { candidates: byDates >= last && deal.stage ? ['payment'] : [], isStageBehind: false }",
    replace: "return { candidates: byDates >= last ? ['payment'] : ['survey'], isStageBehind: false }",
    tests: ['server/deals/evidence.test.ts'],
  },
  {
    file: 'server/deals/blocker.ts',
    find: 'return values.size === 1 ? [...values][0]! : null',
    replace: 'return [...values][0] ?? null',
    tests: ['server/deals/evidence.test.ts'],
  },
  {
    file: 'server/deals/timeline.ts',
    find: 'if (planMs !== null && dayNumberOfValue(planMs, now.zone) < now.day) return',
    replace: 'if (planMs !== null && dayNumberOfValue(planMs, now.zone) <= now.day) return',
    tests: ['server/deals/timeline.test.ts'],
  },
  {
    file: 'server/deals/payment.ts',
    find: 'isSlow: isNow && now.days > days.slow',
    replace: 'isSlow: now.days > days.slow',
    tests: ['server/deals/payment.test.ts'],
  },
  {
    file: 'server/deals/search-text.ts',
    find: ".normalize('NFKD')\n    .toLowerCase()",
    replace: ".normalize('NFKD')",
    tests: ['server/deals/search-text.test.ts'],
  },
  {
    file: 'server/values/text.ts',
    find: 'inner.isWellFormed() ?',
    replace: 'inner !== null ?',
    tests: ['server/values/text.test.ts'],
  },
  {
    file: 'server/values/number.ts',
    find: 'return isMinus ? -value : value',
    replace: 'return value',
    tests: ['server/values/number.test.ts'],
  },
  {
    file: 'server/stages/stage.ts',
    find: 'if (!notYet.test(name)) {',
    replace: 'if (name !== undefined) {',
    tests: ['server/stages'],
  },
  {
    file: 'server/stages/spelling.ts',
    find: ".normalize('NFKC').toLowerCase()",
    replace: ".normalize('NFKC')",
    tests: ['server/stages'],
  },
  {
    file: 'server/files/download.ts',
    find: 'Math.min(Number(last), end)',
    replace: 'Number(last)',
    tests: ['server/files/download.test.ts'],
  },
  {
    file: 'server/files/signature.ts',
    find: 'if (now >= expiresAt || !timingSafeEqual',
    replace: 'if (!timingSafeEqual',
    tests: ['server/files/signature.test.ts'],
  },
]

const tenants: Fault[] = [
  {
    file: 'server/deals/store.ts',
    find: '.select({ json: deals.json, version: deals.renderVersion })\n    .from(deals)\n    .where(and(eq(deals.id, id), within(tenant, deals.partnerId)))',
    replace:
      '.select({ json: deals.json, version: deals.renderVersion })\n    .from(deals)\n    .where(eq(deals.id, id))',
    tests: ['server/deals/store.test.ts', 'server/house/tenancy.test.ts'],
  },
  {
    file: 'server/deals/event-store.ts',
    find: 'where partner_id = ${partnerId} and sequence > ${from}',
    replace: 'where sequence > ${from}',
    tests: ['server/deals/store.test.ts', 'server/house/tenancy.test.ts'],
  },
  {
    file: 'server/deals/store.ts',
    find: '            eq(deals.partnerId, partnerId),\n            after === null',
    replace: '            after === null',
    tests: ['server/deals', 'server/house/tenancy.test.ts'],
  },
  {
    file: 'server/accounts/store.ts',
    find: 'isEveryone(tenant) ? driver`true` : driver`${partnerId} = ${tenant}`',
    replace: 'isEveryone(tenant) ? driver`true` : driver`${partnerId} >= ${tenant}`',
    tests: ['server/search', 'server/house/tenancy.test.ts'],
  },
  {
    file: 'server/deals/event-store.ts',
    find: 'and ${isWithin(sql, tenant, sql`deals.partner_id`)}',
    replace: '',
    tests: ['server/deals', 'server/house/tenancy.test.ts'],
  },
  {
    file: 'server/tokens/store.ts',
    find: '.set({ revokedAt: sql`coalesce(${tokens.revokedAt}, now())` })\n    .where(and(eq(tokens.id, id), within(tenant, tokens.partnerId)))',
    replace: '.set({ revokedAt: sql`coalesce(${tokens.revokedAt}, now())` })\n    .where(eq(tokens.id, id))',
    tests: ['server/tokens', 'server/house/tenancy.test.ts'],
  },
  {
    file: 'server/views/store.ts',
    find: '.where(and(within(tenant), or(eq(views.userId, userId), views.isShared)))',
    replace: '.where(or(eq(views.userId, userId), views.isShared))',
    tests: ['server/views', 'server/house/tenancy.test.ts'],
  },
  {
    file: 'server/audit/store.ts',
    find: 'isEveryone(tenant) ? sql`true` : sql`partner_id between ${tenant} and ${tenant}`',
    replace: 'sql`true`',
    tests: ['server/audit', 'server/house/tenancy.test.ts'],
  },
  {
    file: 'server/access/actor.ts',
    find: "const tenant = role === 'operator' ? everyone : partnerId",
    replace: 'const tenant = partnerId ?? everyone',
    tests: ['server/access/actor.test.ts'],
  },
  {
    file: 'server/access/actor.ts',
    find: "if (!isInternal(actor)) throw new ApiError('FORBIDDEN', 'This page belongs to another partner')",
    replace: '',
    tests: ['server/access/actor.test.ts'],
  },
  {
    file: 'server/access/token-access.ts',
    find: 'and token.revoked_at is null and partner.suspended_at is null',
    replace: 'and token.revoked_at is null',
    tests: ['server/access', 'server/partners'],
  },
  {
    file: 'server/access/procedure.ts',
    find: 'if (!actor.scopes.includes(scope)) {',
    replace: 'if (actor.scopes.length === 0) {',
    tests: ['server/http', 'server/tokens', 'server/house/tenancy.test.ts'],
  },
  {
    file: 'server/access/capability.ts',
    find: "operate: ['operator'],",
    replace: 'operate: managerRoles,',
    tests: ['server/access', 'server/partners'],
  },
]

const stores: Fault[] = [
  {
    file: 'server/search/step-store.ts',
    find: 'isDueOn(sql, { to: addDays(today, -1) }, zone)',
    replace: 'isDueOn(sql, { to: today }, zone)',
    tests: ['server/search', 'server/insight/numbers.test.ts'],
  },
  {
    file: 'server/search/condition-store.ts',
    find: 'and person.roles & ${rolesOf(roles)}::integer <> 0',
    replace: '',
    tests: ['server/search'],
  },
  {
    file: 'server/webhooks/queue-store.ts',
    find: 'and delivery.lease = result.lease and delivery.leased_until is not null',
    replace: 'and delivery.leased_until is not null',
    tests: ['server/webhooks/queue-'],
  },
  {
    file: 'server/webhooks/queue-store.ts',
    find: "and earlier.sequence < delivery.sequence and earlier.state = 'waiting')",
    replace: "and earlier.sequence < delivery.sequence and earlier.state = 'never')",
    tests: ['server/webhooks/queue-'],
  },
  {
    file: 'server/webhooks/queue-store.ts',
    find: "when result.state = 'waiting' and delivery.withdrawn_because is not null then 'failed'",
    replace: "when result.state = 'never' then 'failed'",
    tests: ['server/webhooks'],
  },
  {
    file: 'server/webhooks/queue-store.ts',
    find: 'coalesce(bool_or(status = 410), false) as gone',
    replace: 'false as gone',
    tests: ['server/webhooks/queue-'],
  },
  {
    file: 'server/access/audited.ts',
    find: "await write(tx, actor, typeof entry === 'function' ? entry(result) : entry)",
    replace: "void (typeof entry === 'function' ? entry(result) : write)",
    tests: ['server/house/audited.test.ts'],
  },
  {
    file: 'server/accounts/session-store.ts',
    find: 'if (user === undefined || user.sessionsEnded !== sessionsEnded) return false',
    replace: 'if (user === undefined) return false',
    tests: ['server/accounts'],
  },
  {
    file: 'server/accounts/sign-in/authenticate.ts',
    find: "if ((await unlessSuspended(db, link)) === 'suspended') return 'suspended'",
    replace: '',
    tests: ['server/accounts'],
  },
  {
    file: 'db/migrations/0005_search-and-subscriptions.sql',
    find: "THEN 'in' ELSE 'left' END",
    replace: "THEN 'in' END",
    tests: ['server/webhooks/subscription-store.test.ts'],
  },
  {
    file: 'db/migrations/0005_search-and-subscriptions.sql',
    find: "withdrawn.filter = 'left')",
    replace: "withdrawn.filter = 'none')",
    tests: ['server/webhooks/subscription-store.test.ts'],
  },
  {
    // Uses the values at the time of delivery instead of those before the event.
    file: 'server/deals/event-facts.ts',
    find: 'if (relevant.length === 0) return after',
    replace: 'if (relevant.length >= 0) return after',
    tests: ['server/webhooks/subscription-store.test.ts'],
  },
  {
    file: 'server/webhooks/subscription-store.ts',
    find: 'else ${lastSequence(partnerId)} end`',
    replace: 'else ${endpoints.sinceSequence} end`',
    tests: ['server/webhooks/subscription-store.test.ts'],
  },
  {
    file: 'server/webhooks/dispatcher/dispatcher.ts',
    find: 'if (isIdle) endpointQueues.delete(key)',
    replace: 'if (isIdle && key === "") endpointQueues.delete(key)',
    tests: ['server/webhooks/dispatcher/dispatcher.test.ts'],
  },
  {
    file: 'server/search/condition-store.ts',
    find: '`(coalesce(flags, 0) & ${mask}::integer) = ${wanted}::integer`',
    replace: '`(coalesce(flags, 0) & ${wanted}::integer) = ${wanted}::integer`',
    tests: ['server/search/operations.test.ts'],
  },
]

const transport: Fault[] = [
  {
    file: 'server/http/rest-answer.ts',
    find: 'return header === undefined ? () => false : (etag) => header === etag || matches(header, etag)',
    replace: 'return () => header !== undefined',
    tests: ['server/http', 'e2e/rest'],
  },
  {
    file: 'server/http/rest-answer.ts',
    find: "const cacheHeaders = { Vary: 'Authorization, Accept-Encoding', ",
    replace: "const cacheHeaders = { Vary: 'Accept-Encoding', ",
    tests: ['server/http', 'e2e/rest'],
  },
  {
    file: 'server/http/rest-answer.ts',
    find: '`${listIdOf(tenant)} ${coding} ${call}`',
    replace: '`${coding} ${call}`',
    tests: ['server/http/rest-answer.test.ts'],
  },
  {
    file: 'server/access/rate-limit.ts',
    find: 'if (isEveryone(tenant) || token.isOver) return ofToken',
    replace: 'if (isEveryone(tenant)) return ofToken',
    tests: ['server/access/rate-limit.test.ts'],
  },
  {
    file: 'server/http/rest.ts',
    find: 'const cached = mayCall ?',
    replace: 'const cached = actor.tokenId > 0 ?',
    tests: ['server/http', 'e2e/rest'],
  },
  {
    file: 'server/net/safe-connect.ts',
    find: 'if (addresses.some((address) => ipAddressProblem(address, allowed) !== null))',
    replace: 'if (addresses.every((address) => ipAddressProblem(address, allowed) !== null))',
    tests: ['server/webhooks', 'server/net'],
  },
]

const portal: Fault[] = [
  {
    file: 'app/ui/format.ts',
    find: 'inForm(isThisYear ?',
    replace: 'inForm(time !== null ?',
    tests: ['app/ui/format.test.ts'],
  },
  {
    file: 'server/values/day-choice.ts',
    find: 'return { from: inDays(1 - choice.days), to: today }',
    replace: 'return { from: inDays(-choice.days), to: today }',
    tests: ['server/values/day-choice.test.ts'],
  },
  {
    file: 'app/page-query.ts',
    find: "direction: text.startsWith('-') ? 'desc' : 'asc'",
    replace: "direction: 'asc'",
    tests: ['deals/query.test.ts'],
  },
]

/** Faults in rules, tenant isolation, storage, transport and the portal. */
export const faults: Fault[] = [...rules, ...tenants, ...stores, ...transport, ...portal]
