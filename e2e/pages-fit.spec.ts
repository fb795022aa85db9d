import type { Page } from '@playwright/test'
import { type Visitor, entriesFor } from '../app/(portal)/frame/navigation.ts'
import { expect, test } from './fixtures.ts'
import { carrySession, makeUser, ready, violations } from './portal-user.ts'
import type { RunningSystem } from './system.ts'

// Each page of the navigation, over the demonstration and names of 80 characters, in three widths.

const widths = [1440, 1024, 390]
const longName = 'Maximiliana Featherstonehaugh-Cholmondeley of Upper Winchelsea and Lower Brede'.padEnd(
  80,
  '.',
)

/** Gives the first partner of the demonstration long names, and returns how its admin signs in. */
async function makeLong(system: RunningSystem, slug: string) {
  const user = await makeUser(system, { role: 'admin', name: longName })
  const sql = system.db.$client
  await sql`update users set partner_id = (select id from partners where slug = ${slug}) where id = ${user.id}`
  await sql`update tokens set name = ${longName} where name = 'Reports (demonstration)'`
  await sql`update users set name = ${longName} where email like 'lena.ortega@%'`
  await sql`update partners set name = ${longName} where slug = 'ridgeline-solar-advisors'`
  return user
}

const isNarrow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)

/** Returns numbers and IP addresses that are broken in two lines, and buttons of more than two. */
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

const visitors: [string, Visitor][] = [
  ['an admin', { role: 'admin', chosenPartner: null }],
  ['an operator', { role: 'operator', chosenPartner: null }],
  [
    'an operator on the pages of a partner',
    { role: 'operator', chosenPartner: { slug: 'sunline-home-energy', name: 'Sunline Home Energy' } },
  ],
]

for (const [who, visitor] of visitors)
  test(`each page that ${who} can open fits the window, breaks no value and is accessible`, async ({
    page,
    demo,
    system,
  }) => {
    test.slow()
    const admin = await makeLong(system, demo.slug)
    const user =
      visitor.role === 'admin' ? admin : await makeUser(system, { role: 'operator', name: longName })
    await carrySession(page, user)
    const query = visitor.chosenPartner === null ? '' : `?partner=${visitor.chosenPartner.slug}`
    const paths = [
      ...new Set([
        ...entriesFor(visitor)
          .filter(({ inSection, href }) => inSection && href !== '/docs')
          .map(({ href }) => href),
        '/account',
      ]),
    ]
    expect(paths.length).toBeGreaterThan(4)
    for (const path of paths) {
      await page.setViewportSize({ width: widths[0]!, height: 900 })
      await page.goto(`${path}${query}`, { waitUntil: 'networkidle' })
      await ready(page)
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        await expect.soft.poll(() => isNarrow(page), `${path} at ${width} px`).toBe(true)
        expect.soft(await broken(page), `${path} at ${width} px`).toEqual([])
      }
      expect.soft(await violations(page), path).toEqual([])
    }
  })
