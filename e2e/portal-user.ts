import { randomBytes, randomUUID } from 'node:crypto'
import { type Locator, type Page, expect } from '@playwright/test'
import axe from 'axe-core'
import type { Role } from '#server/accounts/role.ts'
import { insertSession } from '#server/accounts/session-store.ts'
import { findUser } from '#server/accounts/user-store.ts'
import { hashText, sessionMaxAgeS } from '#server/accounts/user.ts'
import type { DealRecord } from '#server/deals/deal.ts'
import { createUser } from './create-user.ts'
import { newIds } from './rest/deals.ts'
import { sessionCookie } from './signed-in.ts'
import { type RunningSystem, type TestPartner, systemAt } from './system.ts'

/** Credentials of a user. */
export interface Access {
  email: string
  password: string
}

/** Creates a portal user of this partner, of a new partner with these deals, or of the installer's staff. */
export async function makeUser(
  system: RunningSystem,
  {
    role = 'member',
    name = 'Robin Vale',
    deals = [],
    partner: existing,
  }: { role?: Role; name?: string; deals?: object[]; partner?: TestPartner } = {},
) {
  const ids = newIds(deals.length)
  const records = deals.map((deal, index) => ({ id: ids[index], ...deal }) as DealRecord)
  const partner = existing ?? (await system.makePartner({ deals: records }))
  const [first] = /^[a-z]+/i.exec(name) ?? ['robin']
  const access = {
    email: `${first.toLowerCase()}@${partner.slug}.example`,
    password: 'a long enough password',
  }
  const partnerId = role === 'operator' ? null : partner.id
  const { id } = await createUser(system.db, { ...access, name, role, partnerId })
  return { ...access, id, ids, slug: partner.slug, partner }
}

/** Fills in and submits the form on the sign-in page. */
export async function signIn(page: Page, { email, password }: Access): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Inserts a session of the user. Returns the token for the session cookie. */
async function insertSessionOf(
  { db }: Pick<RunningSystem, 'db'>,
  { email }: { email: string },
  userAgent = '',
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const { id: userId, sessionsEnded } = (await findUser(db, email))!
  await insertSession(db, {
    hash: hashText(token),
    userId,
    sessionsEnded,
    expiresAt: new Date(Date.now() + sessionMaxAgeS * 1000),
    userAgent,
  })
  return token
}

/** Returns the `Cookie` header of a new session of the user. */
export const cookieOf = async (system: Pick<RunningSystem, 'db'>, access: { email: string }) =>
  `${sessionCookie}=${await insertSessionOf(system, access)}`

/** Returns the visible text of the HTML in a first response. */
export const textOf = (html: string) =>
  html.replaceAll(/<script.*?<\/script>|<!--.*?-->/gs, '').replaceAll(/<[^>]*>/g, ' ')

/** Creates a user. Returns the `Cookie` header of the user's session. */
export async function signedInUser(
  system: Pick<RunningSystem, 'db'>,
  role: Role,
  partnerId: number | null,
): Promise<string> {
  const access = { email: `${randomUUID()}@example.com`, password: 'a long enough password' }
  await createUser(system.db, { ...access, name: 'Robin Vale', role, partnerId })
  return cookieOf(system, access)
}

/** Signs the page's browser in with a session inserted into the database. Opens no page. */
export async function carrySession(page: Page, access: Access): Promise<void> {
  const system = systemAt((await page.request.get('/healthz')).url())
  const value = await insertSessionOf(system, access, await page.evaluate(() => navigator.userAgent))
  await page
    .context()
    .addCookies([{ name: sessionCookie, value, url: system.url, httpOnly: true, sameSite: 'Lax' }])
}

/** Signs the page's browser in with a session inserted into the database, then opens the page at `path`. */
export async function enter(page: Page, access: Access, path = '/account'): Promise<void> {
  await carrySession(page, access)
  await page.goto(path)
  await expect(page).toHaveURL(path)
  await ready(page)
}

/**
 * Opens a row's menu and chooses an action. `name` is the beginning of the action's accessible name, which
 * ends with the row's subject.
 */
export async function act(row: Locator, name: string | RegExp): Promise<void> {
  await row.getByRole('button', { name: /^Actions for / }).click()
  await row.getByRole('menuitem', { name }).click()
}

/**
 * Deletes cookies that match `of`, or all. Leaves the page first, because a page without a session may
 * redirect at any time.
 */
export async function clearCookies(page: Page, of?: { name: RegExp }): Promise<void> {
  await page.goto('about:blank')
  await page.context().clearCookies(of)
}

/**
 * Waits until React has taken over the page or the selected part, because earlier keys and clicks are lost.
 */
export async function ready(page: Page, selector = '#content > *'): Promise<void> {
  await page.waitForFunction(
    (of) => Object.keys(document.querySelector(of) ?? {}).some((name) => name.startsWith('__reactProps')),
    selector,
  )
}

/**
 * Waits until React has taken over the page, fonts are loaded, and every part in view shows its data. Columns
 * of the board load when they are scrolled to.
 */
export async function loaded(page: Page): Promise<void> {
  await ready(page, 'main')
  await page.waitForFunction(() => document.fonts.status === 'loaded')
  await expect(page.locator('details[open]:not(:has(> :nth-child(2)))')).toHaveCount(0)
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[role=status]')].every((status) => {
      const { left, top } = status.getBoundingClientRect()
      return !status.textContent.startsWith('Loading') || left > innerWidth || top > innerHeight
    }),
  )
}

const schemes = ['dark', 'light'] as const

/**
 * Returns axe's findings for the page, or for elements that match `within`, in dark and in light colors.
 * Other checks run only once. Leaves the page in the last color scheme.
 */
export async function violations(
  page: Page,
  looks: readonly (typeof schemes)[number][] = schemes,
  within = 'html',
): Promise<string[]> {
  // Load the script (half a megabyte) only once per document.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const found: string[] = []
  for (const colorScheme of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // End highlights of recent changes, which still have the colors of the other scheme.
    await page.evaluate(() => document.getAnimations().forEach((animation) => animation.finish()))
    const results = await page.evaluate(
      ([rules, selector]) =>
        (globalThis as unknown as { axe: typeof axe }).axe.run(selector, {
          resultTypes: ['violations'],
          ...(rules === null ? {} : { runOnly: rules }),
        }),
      [colorScheme === 'dark' ? ['color-contrast', 'link-in-text-block'] : null, within] as const,
    )
    found.push(
      ...results.violations.map(
        ({ id, nodes }) => `${id}, ${colorScheme}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`,
      ),
    )
  }
  return found
}

/** Starts recording events that only injected scripts or bugs can cause. Returns the growing list. */
export function watch(page: Page): string[] {
  const seen: string[] = []
  page.on('dialog', (dialog) => {
    seen.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('pageerror', ({ message }) => void seen.push(`error: ${message}`))
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) seen.push(message.text())
  })
  return seen
}

/** Texts that would call `alert` if a page did not escape them. */
export const hostileTexts = [
  '<img src=x onerror=alert(1)>',
  '</script><script>alert(2)</script>',
  '"><svg onload=alert(3)>',
  "' onfocus=alert(4) autofocus='",
  'javascript:alert(5)',
  "${alert(6)}{{constructor.constructor('alert(7)')()}}",
]
