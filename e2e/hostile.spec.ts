import { setTimeout as sleep } from 'node:timers/promises'
import type { APIRequestContext, Page } from '@playwright/test'
import { type DealRecord, type FieldKind, dealFields, personFields } from '#server/deals/deal.ts'
import { dealMaxBytes } from '#server/deals/policy.ts'
import { issueToken } from '#server/tokens/issue-token.ts'
import { expect, test } from './fixtures.ts'
import { type Access, enter, hostileTexts, makeUser, watch } from './portal-user.ts'
import { untilTaken } from './rest/client.ts'
import { bringIn, newIds } from './rest/deals.ts'
import type { RunningSystem } from './system.ts'

// A partner's deals may contain text of any kind and length. No page may block the process while rendering
// that text: superlinear algorithms would take tens of seconds here. NUL is not included, because records
// with NUL are rejected.

/** Size of each text, so that 72 such texts almost fill the longest possible deal. */
const textBytes = (dealMaxBytes * 0.95) / 72

/** The units that are repeated in the texts. */
const units: Record<string, string> = {
  letters: 'a',
  spaces: ' ',
  'tabs and line ends': '\t\r\n',
  digits: '1',
  brackets: ' (',
  'closing brackets': ')',
  'plus signs': '+',
  'minus signs': '-',
  commas: ',',
  'at signs': 'a@',
  slashes: '/',
  'double quotes': '"',
  'single quotes': "'",
  words: 'aw ait ',
  addresses: 'https://',
  formulas: '=+',
  'right-to-left marks': '\u202e\u200f',
  'combining marks': '\u0301\u0323',
  emoji: '👩\u200d👩\u200d👧',
  'pairs that a cut would break': '\u{10ffff}\u{10000}',
  'replacement characters': '\ufffd',
  markup: '<b>&amp;',
}

/** Repeats the unit and adds a different ending, so that a match fails only at the end and is tried again. */
const textOf = (unit: string) =>
  `${unit.repeat(Math.floor(textBytes / (Buffer.byteLength(JSON.stringify(unit)) - 2)))}!`

function recordOf(id: bigint, text: string): DealRecord {
  const values: Record<FieldKind, unknown> = {
    int64: 7n,
    text,
    double: 1e21,
    money: 1e21,
    flag: true,
    time: '2026-03-01T17:20:05.000Z',
    person: null,
  }
  const fill = (fields: Record<string, { kind: FieldKind }>) =>
    Object.fromEntries(Object.entries(fields).map(([name, { kind }]) => [name, values[kind]]))
  values.person = fill(personFields)
  return { ...fill(dealFields), id } as unknown as DealRecord
}

interface Member extends Access {
  /** IDs of deals by the name of their text. */
  ids: Map<string, bigint>
}

/**
 * Creates a partner with one deal for each kind of text, which fills every field. Returns a member of the
 * partner.
 */
async function makeMember(system: RunningSystem, names = Object.keys(units)): Promise<Member> {
  const ids = new Map(newIds(names.length).map((id, index) => [names[index]!, id]))
  const deals = names.map((name) => recordOf(ids.get(name)!, textOf(units[name]!)))
  return { ...(await makeUser(system, { deals })), ids }
}

/** Measures how long a response takes, and the longest delay of `/healthz` during that time, in ms. */
async function measure(
  request: APIRequestContext,
  path: string,
): Promise<{ answer: number; health: number }> {
  const get = async (target: string) => {
    const started = performance.now()
    const response = await request.get(target)
    await response.body()
    return { status: response.status(), ms: performance.now() - started }
  }
  const timed = async (target: string): Promise<number> => {
    const { status, ms } = await untilTaken(() => get(target))
    expect(status, target).toBe(200)
    return ms
  }
  let isOver = false
  const answer = timed(path).finally(() => {
    isOver = true
  })
  let health = 0
  while (!isOver) {
    health = Math.max(health, await timed('/healthz'))
    await sleep(20)
  }
  return { answer: await answer, health }
}

/**
 * Expects a response within 10 s, and responses of `/healthz` within 5 s during that time, in one of three
 * attempts. A quiet machine needs a tenth of that, and quadratic work would take tens of seconds every time.
 * A busy machine may be ten times slower.
 */
async function expectQuick(page: Page, paths: string[]): Promise<void> {
  for (const path of paths) {
    const slow: Record<string, unknown>[] = []
    while (slow.length < 3) {
      const measured = await measure(page.request, path)
      if (measured.answer <= 10_000 && measured.health <= 5000) break
      const ordinary = await measure(page.request, '/account')
      if (measured.answer <= 10 * ordinary.answer && measured.health <= 10 * ordinary.health) break
      slow.push({ path, ...measured, ordinary })
    }
    expect(slow.length, JSON.stringify(slow)).toBeLessThan(3)
  }
}

test('a deal of maximum length with hostile characters renders quickly', async ({ page, system }) => {
  test.setTimeout(180_000)
  const member = await makeMember(system)
  await enter(page, member)
  await expectQuick(
    page,
    [...member.ids.values()].map((id) => `/deals/${id}`),
  )
})

test('list, board, Home and export of hostile deals are quick as well', async ({ page, system }) => {
  test.setTimeout(180_000)
  const member = await makeMember(system)
  await enter(page, member)
  await expectQuick(page, [
    '/deals',
    '/deals?columns=stage,hoaNumber,notes,owner',
    '/deals/board',
    '/',
    '/deals/export?all=1',
    '/deals/export',
    `/deals?q=${encodeURIComponent(textOf(' (').slice(0, 2000))}`,
  ])
})

test('browsers show hostile values as text on every page, and run no script in them', async ({
  page,
  system,
}) => {
  test.setTimeout(180_000)
  const names = ['spaces', 'combining marks', 'right-to-left marks', 'emoji', 'commas']
  const member = await makeMember(system, names)
  const seen = watch(page)
  await enter(page, member, '/deals')
  await page.goto('/deals/board')
  await expect(page.getByRole('heading', { level: 1, name: 'Deals' })).toBeVisible()
  for (const name of names) {
    await page.goto(`/deals/${member.ids.get(name)}`)
    await expect(page.getByRole('region', { name: 'History' }).getByText('Deal added')).toBeVisible()
  }

  const { partner, ids, ...admin } = await makeUser(system, {
    role: 'admin',
    name: hostileTexts[0]!,
    deals: hostileTexts.map((text) => ({
      dealname: text,
      streetAddress: text,
      city: text,
      state: text,
      stage: text,
      pipeline: text,
      closerName: text,
      systemSize: text,
      notes: text,
      proposalLink: text,
      amount: 10,
      hasOutstandingItems: true,
      timeInCurrentStage: new Date(Date.now() - 30 * 86_400_000).toISOString(),
    })),
  })
  for (const name of hostileTexts)
    await issueToken(system.db, { partnerId: partner.id, name, expiresAt: null })
  await bringIn(system, partner, [{ id: ids[0]!, notes: hostileTexts[1]!, closerName: hostileTexts[2]! }])
  await enter(page, admin, '/account')
  for (const [path, texts] of [
    ['/', hostileTexts],
    ['/deals?columns=stage,state,closerName,systemSize,notes,proposalLink', hostileTexts],
    ['/deals/board', hostileTexts],
    // The deal's page includes its history.
    [`/deals/${ids[0]}`, hostileTexts.slice(0, 3)],
    ['/tokens', hostileTexts],
    ['/team', [hostileTexts[0]!]],
  ] as const) {
    await page.goto(path)
    for (const text of texts) await expect(page.getByRole('main')).toContainText(text)
    expect(
      await page.evaluate(
        () =>
          document.querySelectorAll('main :is(script, img, iframe, [onload], [onerror], [onfocus])').length,
      ),
      path,
    ).toBe(0)
  }
  await page.goto(`/deals?${new URLSearchParams({ q: hostileTexts[0]!, stage: hostileTexts[1]! })}`)
  await expect(page.getByText('No matching deals')).toBeVisible()
  expect(seen).toEqual([])
})

test('a user agent of 15,000 digits takes no longer than any other', async ({ request }) => {
  // Next's own detection of crawlers would need more than half a second for each request, which adds up to a
  // minute.
  for (let count = 0; count < 100; count++)
    expect((await request.get('/sign-in', { headers: { 'User-Agent': '1'.repeat(15_000) } })).status()).toBe(
      200,
    )
})

test('a URL with thousands of parameters is rejected', async ({ request }) => {
  expect((await request.get(`/sign-in?${'a=1&'.repeat(999)}`)).status()).toBe(200)
  expect((await request.get(`/sign-in?${'a=1&'.repeat(3700)}`)).status()).toBe(400)
})
