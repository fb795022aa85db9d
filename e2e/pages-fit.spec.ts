import type { Page } from '@playwright/test'
import { invite, issueLink } from '#server/accounts/link.ts'
import { type Visitor, entriesFor } from '../app/(portal)/frame/navigation.ts'
import { expect, test } from './fixtures.ts'
import { type Access, carrySession, loaded, makeUser, ready, violations } from './portal-user.ts'
import { bringIn, newIds } from './rest/deals.ts'
import type { RunningSystem } from './system.ts'

// Checks widths and runs axe on every page and everything that opens on it, with demo data and names of 80
// characters. States that only a longer journey reaches (a running import, a rotated secret) are checked in
// the tests of that journey.

// Run in parallel, because these tests take the longest.
test.describe.configure({ mode: 'parallel' })

const widths = [1440, 1024, 390]
const longName = 'Maximiliana Featherstonehaugh-Cholmondeley of Upper Winchelsea and Lower Brede'.padEnd(
  80,
  '.',
)

/** A page, or something that opens on it. */
interface Shown {
  path: string
  /**
   * What to open on the page, and the window width for it. Axe checks the elements that match `within`, by
   * default dialogs and menus.
   */
  open?: { what: string; width?: number; within?: string; by: (page: Page) => Promise<void> }
}

const opens = 'dialog[open], [role=dialog], [role=alertdialog], [role=menu], [role=listbox]'

/** Gives the first demo partner long names. Returns its admin's credentials. */
async function makeLong(system: RunningSystem, slug: string) {
  const user = await makeUser(system, { role: 'admin', name: longName })
  const sql = system.db.$client
  await sql`update users set partner_id = (select id from partners where slug = ${slug}) where id = ${user.id}`
  await sql`update tokens set name = ${longName} where name = 'Reports (demonstration)'`
  await sql`update users set name = ${longName} where email like 'lena.ortega@%'`
  await sql`update partners set name = ${longName} where slug = 'ridgeline-solar-advisors'`
  return user
}

/**
 * Creates a partner with a closed deal and a deal with long texts, mostly without spaces. Returns a member.
 */
async function makeLongDeals(system: RunningSystem): Promise<Access & { ids: bigint[] }> {
  const [unbroken, long] = ['x'.repeat(80), 'x'.repeat(600)]
  const { partner, ...access } = await makeUser(system, { name: longName })
  const ids = newIds(2)
  await bringIn(system, partner, [
    {
      id: ids[0]!,
      dealname: longName,
      firstName: unbroken,
      lastName: unbroken,
      streetAddress: unbroken,
      city: unbroken,
      stage: unbroken,
      pipeline: unbroken,
      closerName: longName,
      hoaName: unbroken,
      hoaEmail: `${'y'.repeat(60)}@${'z'.repeat(180)}.example`,
      dealer: unbroken,
      amount: 30_800,
      hicAgreement: 'hic_nowhere',
      notes: long,
      proposalLink: `https://design.example/${long}`,
    },
    { id: ids[1]!, dealname: long, stage: 'Cancelled' },
  ])
  await bringIn(system, partner, [{ id: ids[0]!, notes: `${long}2` }])
  return { ...access, ids }
}

const isNarrow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)

/**
 * Returns numbers and IP addresses that are broken across two lines, and buttons with more than two lines.
 */
function broken(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    const main = document.querySelector('main')!
    const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const node = texts.currentNode as Text
      for (const match of node.data.matchAll(/(?<![\w-])\$?\d[\d.,:/]*\d%?(?![\w-])/g)) {
        const range = document.createRange()
        range.setStart(node, match.index)
        range.setEnd(node, match.index + match[0].length)
        const isCode = node.parentElement!.closest('pre, code, .font-mono') !== null
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
        if (lines.size > 1 && !isCode) found.push(`${match[0]} in “${node.data}”`)
      }
    }
    for (const button of main.querySelectorAll('button'))
      if (button.getBoundingClientRect().height > 60 && !button.hasAttribute('aria-pressed'))
        found.push(`button “${button.textContent}”`)
    return found
  })
}

/**
 * Returns truncated elements (the selected text of a select, headings, tables, values in cards) and labels
 * without a target.
 */
function cut(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    const main = document.querySelector('main')!
    const ruler = document.createElement('canvas').getContext('2d')!
    const arrowWidth = 20
    for (const select of main.querySelectorAll<HTMLSelectElement>('select')) {
      if (!select.checkVisibility()) continue
      const { font, paddingLeft, paddingRight } = getComputedStyle(select)
      ruler.font = font
      const text = select.selectedOptions[0]?.text ?? ''
      const room = select.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - arrowWidth
      if (ruler.measureText(text).width > room) found.push(`select “${text}”`)
    }
    const isPhone = innerWidth < 640
    for (const head of main.querySelectorAll('article h1'))
      if (head.scrollHeight - head.clientHeight > 1) found.push(`heading “${head.textContent}”`)
    for (const table of main.querySelectorAll('table')) {
      if (!table.checkVisibility()) continue
      const { scrollWidth, clientWidth } = table.parentElement!
      // A sticky first column shows that the table can be scrolled.
      if (isPhone && scrollWidth > clientWidth && table.querySelector('th.sticky') === null)
        found.push(`table “${table.textContent.slice(0, 80)}”`)
      for (const cell of isPhone ? table.querySelectorAll('td') : []) {
        const [label, value] = cell.children
        if (label?.ariaHidden === 'true' && value?.childNodes.length === 0 && cell.offsetHeight > 0)
          found.push(`“${label.textContent}” of nothing`)
        if (label?.ariaHidden === 'true' && value && value.scrollWidth > value.clientWidth)
          found.push(`“${value.textContent}” over “${label.textContent}”`)
      }
    }
    return [...new Set(found)]
  })
}

/**
 * Checks pages in all widths and on a phone, and everything that opens on them in one width. Skips axe on
 * `audited` pages, which other tests cover.
 */
async function look(
  page: Page,
  shown: Shown[],
  { isOfManagement, audited = [] }: { isOfManagement: boolean; audited?: string[] },
) {
  // Without animations: the audit would measure colors in the middle of a transition.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const browser = await page.context().newCDPSession(page)
  const touch = (enabled: boolean) =>
    browser.send('Emulation.setTouchEmulationEnabled', { enabled, maxTouchPoints: enabled ? 5 : 1 })
  let path: string | undefined
  for (const { path: next, open } of shown) {
    await page.setViewportSize({ width: open?.width ?? widths[0]!, height: 900 })
    if (next !== path) {
      await page.goto(next)
      await loaded(page)
      path = next
    }
    if (open !== undefined) {
      await open.by(page)
      expect
        .soft(await violations(page, undefined, open.within ?? opens), `${path}, ${open.what}`)
        .toEqual([])
      expect.soft(await isNarrow(page), `${path}, ${open.what}`).toBe(true)
      await page.keyboard.press('Escape')
      continue
    }
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      await expect.soft.poll(() => isNarrow(page), `${path} at ${width} px`).toBe(true)
      expect.soft(await cut(page), `${path} at ${width} px`).toEqual([])
      if (isOfManagement) expect.soft(await broken(page), `${path} at ${width} px`).toEqual([])
    }
    await touch(true)
    await expect.soft.poll(() => small(page), `${path} by touch`).toEqual([])
    await touch(false)
    if (!audited.includes(path)) expect.soft(await violations(page), path).toEqual([])
  }
}

/** Returns a function that presses a button and waits for what opens. */
const press = (name: string | RegExp, opened: 'dialog' | 'alertdialog' | 'menu' | 'listbox' = 'dialog') => ({
  what: String(name),
  by: async (page: Page) => {
    await ready(page)
    await page.getByRole('button', { name, exact: true }).first().click()
    await expect(page.getByRole(opened).first()).toBeVisible()
  },
})

/** Returns a function that chooses an action in the menu of the first row and waits for what opens. */
const choose = (name: string | RegExp, opened: 'dialog' | 'alertdialog' = 'dialog') => ({
  what: String(name),
  by: async (page: Page) => {
    await press(/^Actions for /, 'menu').by(page)
    await page.getByRole('menuitem', { name }).click()
    await expect(page.getByRole(opened)).toBeVisible()
  },
})

/** Returns a function that presses a button and submits the empty form in the dialog that opens. */
const pressAndSend = (name: string, send: string) => ({
  what: `${name}, invalid`,
  by: async (page: Page) => {
    await press(name).by(page)
    await page.getByRole('dialog').getByRole('button', { name: send, exact: true }).click()
    await expect(page.locator('[aria-invalid]').first()).toBeVisible()
  },
})

/** What opens on every portal page. */
const frame: NonNullable<Shown['open']>[] = [
  {
    what: 'palette',
    by: async (page) => {
      await expect(async () => {
        await page.keyboard.press('Control+k')
        await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused({ timeout: 2000 })
      }).toPass({ timeout: 20_000 })
      await page.keyboard.type('lopez')
      await expect(page.getByRole('option').first()).toContainText('Lopez')
    },
  },
  {
    what: 'keyboard shortcuts',
    by: async (page) => {
      await page.keyboard.press('?')
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
    },
  },
  press(/^Account: /, 'menu'),
  { ...press('Navigation'), width: 390 },
]

/** Returns a function that selects rows by keyboard and opens the actions for them. */
const select = (rows: number, press?: string) => ({
  what: `${rows} selected${press === undefined ? '' : `, ${press}`}`,
  within: press === undefined ? '[role=toolbar]' : opens,
  by: async (page: Page) => {
    await page.goto('/deals')
    await ready(page)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('x')
    for (let row = 1; row < rows; row++) {
      await page.keyboard.press('j')
      await page.keyboard.press('x')
    }
    const bar = page.getByRole('toolbar', { name: 'Selected deals' })
    await expect(bar).toContainText(`${rows} selected`)
    if (press === undefined) return
    await bar.getByRole('button', { name: press, exact: true }).click()
    await expect(page.getByRole('dialog').getByRole('textbox').or(page.getByRole('combobox'))).toBeFocused()
  },
})

/** What opens on an admin's pages. */
const opening: Record<string, NonNullable<Shown['open']>[]> = {
  '/deals': [
    ...['Stage', 'Dates', 'More', 'Columns', 'Views', 'Export'].map((name) => ({
      what: name,
      by: async (page: Page) => {
        await ready(page)
        // Match the button only, because a column may have the same name.
        await page.getByRole('button', { name, exact: true }).and(page.locator('[aria-haspopup]')).click()
        const choices = page.getByRole('dialog').locator('button, [role=option], a, input[type=number]')
        await expect(choices.first()).toBeVisible()
      },
    })),
    select(1),
    select(2, 'Assign'),
    {
      what: 'cards selected on a phone',
      within: 'main, [role=toolbar]',
      width: 390,
      by: async (page) => {
        await page.goto('/deals')
        await ready(page)
        await page.getByRole('button', { name: 'Select', exact: true }).click()
        const cards = page.getByRole('list', { name: 'Deals' }).getByRole('link')
        for (const card of [0, 1]) await cards.nth(card).click()
        await expect(page.getByRole('toolbar')).toContainText('2 selected')
      },
    },
    {
      what: 'a deal beside the list',
      within: 'main',
      by: async (page) => {
        await page.goto('/deals')
        await ready(page)
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('Space')
        await expect(page.getByRole('complementary').getByText('In stage', { exact: true })).toBeVisible()
      },
    },
    {
      what: 'filters of a phone',
      width: 390,
      by: async (page) => {
        await press('Filters').by(page)
        await page
          .getByRole('dialog', { name: 'Filters' })
          .locator('summary', { hasText: /^Stage$/ })
          .click()
        await expect(page.getByRole('listbox').getByRole('option').first()).toBeVisible()
      },
    },
  ],
  '/webhooks': [
    {
      what: 'Team channels',
      by: async (page) => {
        await ready(page)
        await page.getByRole('button', { name: 'Team channels', exact: true }).click()
        await pressAndSend('Post to a team channel', 'Add channel').by(page)
      },
    },
  ],
  '/team': [pressAndSend('Invite', 'Invite'), choose(/^Remove /, 'alertdialog')],
  '/tokens': [press('Create token'), choose(/^Usage of /), choose(/^Revoke /, 'alertdialog')],
  '/account': [
    {
      what: 'Change password, invalid',
      within: 'main',
      by: async (page) => {
        await ready(page)
        await page.getByRole('button', { name: 'Change password' }).click()
        await expect(page.locator('[aria-invalid]')).toHaveCount(2)
      },
    },
    press('Sign out everywhere', 'alertdialog'),
  ],
}

/** What opens on pages that only operators have. */
const openingForOperators: Record<string, NonNullable<Shown['open']>[]> = {
  '/partners': [
    pressAndSend('New partner', 'Create partner'),
    press(/^Actions for /, 'menu'),
    choose('Suspend', 'alertdialog'),
  ],
  '/stages': [press(/^Actions for /, 'menu'), choose('Edit', 'dialog')],
  '/questions': [
    press('Saved replies'),
    {
      what: 'a question answered',
      by: async (page) => {
        await ready(page)
        await page
          .getByRole('button', { name: /^Answer / })
          .first()
          .click()
        await expect(page.getByRole('textbox', { name: 'Answer', exact: true })).toBeFocused()
        await press('Insert reply', 'menu').by(page)
      },
    },
  ],
}

const pathsOf = (visitor: Visitor, inSection: boolean) => [
  ...new Set(
    entriesFor(visitor)
      .filter((entry) => (entry.place === 'section') === inSection && entry.href !== '/docs')
      .map(({ href }) => href),
  ),
]
const withOpened = (paths: string[], opened: Record<string, NonNullable<Shown['open']>[]>): Shown[] =>
  paths.flatMap((path) => [{ path }, ...(opened[path] ?? []).map((open) => ({ path, open }))])

const admin: Visitor = {
  role: 'admin',
  chosenPartner: null,
  offers: { map: true, flow: true, trends: true, reps: true, scorecard: true },
}
const operator: Visitor = { role: 'operator', chosenPartner: null }

test('each page for admins fits the window, breaks no value and is accessible', async ({
  page,
  demo,
  system,
}) => {
  test.slow()
  await carrySession(page, await makeLong(system, demo.slug))
  const [failed] = await system.db.$client<[{ id: string }]>`
    select deliveries.id from deliveries join partners on partners.id = partner_id
    where slug = ${demo.slug} and deliveries.state = 'failed' limit 1`
  const shown = withOpened([...pathsOf(admin, true), `/deliveries/${failed.id}`, '/account'], opening)
  expect(shown.length).toBeGreaterThan(10)
  await look(page, shown, { isOfManagement: true })
})

test('each deals page and everything that opens on any page fits the window and is accessible', async ({
  page,
  demo,
  system,
}) => {
  test.slow()
  await carrySession(page, await makeLong(system, demo.slug))
  const [deal] = await system.db.$client<[{ id: string }]>`
    select deals.id from deals join partners on partners.id = partner_id
    where slug = ${demo.slug} and deals.id in (select deal_id from files) order by deals.id limit 1`
  const paths = [
    ...pathsOf(admin, false),
    '/notifications',
    `/deals/${deal.id}`,
    '/week?week=2025-W50',
    '/deals?q=nobody+at+all',
    '/deals/board?q=nobody+at+all',
    '/nowhere',
  ]
  const unfolded = (text: string) => ({
    what: text,
    within: 'main',
    by: async (shown: Page) => {
      await ready(shown)
      await shown.getByText(text).first().click()
    },
  })
  const opened = {
    ...opening,
    '/': frame,
    '/flow': [unfolded('All step figures'), unfolded('By utility')],
    '/flow/trends': [unfolded('Show figures')],
    [`/deals/${deal.id}`]: [
      {
        what: 'somebody mentioned in a question',
        by: async (shown: Page) => {
          await ready(shown)
          await shown.getByRole('button', { name: 'Ask a question' }).click()
          await shown.keyboard.type('Hello @')
          await expect(shown.getByRole('listbox', { name: 'People to mention' })).toBeVisible()
        },
      },
    ],
  }
  await look(page, withOpened(paths, opened), { isOfManagement: false })
})

test('long texts of a deal fit the window on each deals page, and are accessible', async ({
  page,
  system,
}) => {
  const { ids, ...member } = await makeLongDeals(system)
  await carrySession(page, member)
  const paths = ['/', '/deals', '/deals/board', ...ids.map((id) => `/deals/${id}`)]
  await look(page, withOpened(paths, {}), { isOfManagement: false })
})

test('each page for operators fits the window, breaks no value and is accessible', async ({
  page,
  demo,
  system,
}) => {
  test.slow()
  await makeLong(system, demo.slug)
  await carrySession(page, await makeUser(system, { role: 'operator', name: longName }))
  // Pages that admins also have show one more column to operators.
  await look(page, withOpened(pathsOf(operator, true), openingForOperators), {
    isOfManagement: true,
    audited: pathsOf(admin, true),
  })
  // The banner is the same on every page of a partner. Operators see a partner's webhooks but not the secret.
  const paths = ['/deals', '/webhooks'].map((path) => `${path}?partner=ridgeline-solar-advisors`)
  await look(page, withOpened([...paths, '/?partner=nobody'], {}), {
    isOfManagement: false,
  })
})

test('each page before sign-in fits the window and is accessible', async ({ page, system }) => {
  const user = await makeUser(system)
  const { id: partnerId, slug } = await system.makePartner()
  const home = { db: system.db, publicUrl: system.url }
  const invited = { email: `new@${slug}.example`, name: longName, role: 'member', partnerId } as const
  const links = [
    (await invite(home, invited))!,
    await issueLink(home, user.id, 'sign-in'),
    await issueLink(home, user.id, 'reset'),
  ].map((url) => new URL(url).pathname)
  const send = {
    what: 'sent without a value',
    within: 'main',
    by: async (shown: Page) => {
      const submit = /^(?:Sign in|Accept and sign in|Set password and sign in)$/
      await shown.getByRole('button', { name: submit }).click()
      await expect(shown.locator('[aria-invalid]').first()).toBeVisible()
    },
  }
  const paths = [
    '/sign-in',
    '/sign-in?error=AccessDenied&code=uninvited',
    '/sign-in/forgot',
    '/link/none',
    ...links,
  ]
  const [invitation, , reset] = links
  const opened = Object.fromEntries(['/sign-in', invitation!, reset!].map((path) => [path, [send]]))
  await look(page, withOpened(paths, opened), { isOfManagement: false })
})

/**
 * Returns buttons, fields and linked numbers that are too small for a finger. Checkboxes and cards have
 * larger targets around them.
 */
const small = (page: Page) =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll(
        'button, select, summary, textarea, input:not([type=checkbox], [type=radio])',
      ),
      ...[...document.querySelectorAll('main :is(td, dd, li) a')].filter(({ textContent }) =>
        /^\s*\$?[\d.,]+ ?(?:%|[KM]|days?)?\s*$/.test(textContent),
      ),
    ]
      .filter((element) => element.checkVisibility() && !element.matches('.sr-only, .sr-only *'))
      .filter((element) => element.getBoundingClientRect().height < 43.5)
      .map((element) => `${element.ariaLabel ?? element.textContent} ${element.outerHTML.slice(0, 120)}`),
  )
