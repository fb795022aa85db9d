import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { enter, makeUser, signedInUser, violations } from './portal-user.ts'
import { ask } from './rest/client.ts'
import type { RunningSystem } from './system.ts'
import { workbookOf } from './workbook.ts'

let lastId = Date.now() * 1000
const makeIds = (count: number) => Array.from({ length: count }, () => ++lastId)
const lines = (records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

const chooser = (page: Page) => page.getByLabel('Deals file', { exact: true })
const upload = (page: Page) => page.getByRole('button', { name: 'Upload and check' })
const progress = (page: Page) => page.getByRole('region', { name: 'Progress' })
const doImport = (page: Page) => page.getByRole('button', { name: 'Import', exact: true })
const nothingYet = 'Nothing has changed yet'

/** Clicks the button that opens the last step. */
const review = (page: Page) => page.getByRole('button', { name: '3. Review' }).click()

/** Returns the counts on an import's page: new, updated, unchanged, rejected. */
const counts = async (page: Page) =>
  (await page.getByRole('region', { name: 'Counts' }).locator('dd').allTextContents()).map((text) =>
    Number(text.replaceAll(',', '')),
  )

/** Opens the imports page of a new partner, or of all partners, as an operator. */
async function open(page: Page, system: RunningSystem, slug?: string): Promise<void> {
  await enter(
    page,
    await makeUser(system, { role: 'operator' }),
    `/imports${slug === undefined ? '' : `?partner=${slug}`}`,
  )
}

async function choose(page: Page, name: string, content: string | Buffer, partner?: string): Promise<void> {
  await chooser(page).setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })
  if (partner !== undefined) await page.getByLabel('Partner', { exact: true }).selectOption(partner)
}

async function send(...file: Parameters<typeof choose>): Promise<void> {
  await choose(...file)
  await upload(file[0]).click()
}

async function finish(page: Page, message: string | RegExp = 'Import complete.'): Promise<void> {
  await doImport(page).click()
  await expect(progress(page)).toContainText(message)
}

test('an NDJSON file is imported; a CSV then updates some deals, and its rejected rows can be downloaded', async ({
  page,
  system,
}) => {
  const { slug } = await system.makePartner()
  const ids = makeIds(60)
  await open(page, system, slug)
  await expect(page.getByLabel('Partner', { exact: true })).toHaveValue(slug)
  await send(page, 'deals.ndjson', lines(ids.map((id) => ({ id, dealname: `Deal ${id}`, stage: 'Permit' }))))
  await expect(progress(page)).toContainText(nothingYet)
  expect(await counts(page)).toEqual([60, 0, 0, 0])
  await expect(page.getByRole('list', { name: 'Changes' }).getByRole('listitem')).toHaveCount(50)
  await finish(page)
  expect(await counts(page)).toEqual([60, 0, 0, 0])
  await expect(page.getByRole('link', { name: 'View deals of A partner of a test' })).toHaveAttribute(
    'href',
    `/deals?partner=${slug}`,
  )
  await expect(page.getByRole('link', { name: 'Download rejected rows' })).toHaveCount(0)

  await page.goto('/imports')
  const [fresh] = makeIds(1)
  const csv = `id,stage,owner.id,color\r\n${ids[0]},NTP,,red\r\n${ids[1]},Permit,,\r\nx,NTP,,\r\n"=cmd()",Permit,,\r\n${fresh},"So\nld",7,\r\n${ids[2]},NTP,,\r\n${ids[2]},Permit,,\r\n${ids[3]},Permit\r\n`
  await choose(page, 'changes, "more".csv', csv, slug)
  await page.getByLabel('Send webhooks to partners').uncheck()
  await upload(page).click()
  await expect(progress(page)).toContainText('Rejected records are skipped')
  await expect(page.getByRole('main')).toContainText('No webhooks are sent.')
  // The page opens at the first step with an open question.
  await expect(page.getByRole('region', { name: 'Columns' }).getByRole('note')).toContainText(
    'color · 1 value · red',
  )
  await expect(doImport(page)).toHaveCount(0)
  await review(page)
  expect(await counts(page)).toEqual([1, 1, 3, 2])
  await expect(page.getByRole('list', { name: 'Changes' }).getByRole('listitem')).toHaveText([
    new RegExp(`Deal ${ids[0]}.*Stage\\s*(?:from )?Permit\\s*to\\s*NTP`),
    new RegExp(`Deal ${fresh}.*New`),
  ])
  await expect(page.getByRole('region', { name: 'Left out' })).toContainText(
    `Line 8 · deal ${ids[2]} is repeated on line 9`,
  )
  await expect(page.getByRole('table', { name: 'Rejected' }).getByRole('row')).toHaveText([
    /^Line/,
    /^Line 4.*id “x” is not an ID; use a whole number such as/,
    /^Line 5.*id “/,
  ])
  await finish(page, 'Imported; 2 records rejected.')
  expect(await counts(page)).toEqual([1, 1, 3, 2])

  const download = await page.request.get(
    (await page.getByRole('link', { name: 'Download rejected rows' }).getAttribute('href')) ?? '',
  )
  expect(download.headers()).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'cache-control': 'no-store',
    'content-disposition': 'attachment; filename="changes, \\"more\\" - rejected rows.csv"',
  })
  expect(await download.text()).toContain(`"'=cmd()",Permit`)
  await page.getByRole('link', { name: 'All imports' }).click()
  await expect(page.getByRole('table', { name: 'Imports' }).getByRole('row').nth(1)).toHaveText(
    /changes, "more"\.csv.*Completed.*A partner of a test.*1.*1.*3.*2.*Robin Vale.*just now/,
  )
})

test('uploads each slice of a file exactly once, despite lost responses and a lost connection', async ({
  page,
  system,
}) => {
  const { slug } = await system.makePartner()
  const seen: number[] = []
  await page.route('**/imports/*/content?*', async (route) => {
    seen.push(Number(new URL(route.request().url()).searchParams.get('offset')))
    if (seen.length === 1) return route.abort('connectionreset')
    if (seen.length === 3) {
      // The server gets the request, but the response is lost.
      await route.fetch()
      return route.abort('connectionreset')
    }
    return route.continue()
  })
  await open(page, system, slug)
  await send(page, 'deals.ndjson', lines(makeIds(800).map((id) => ({ id, notes: 'ä'.repeat(900) }))))
  await expect(progress(page)).toContainText(nothingYet, { timeout: 20_000 })
  expect(seen).toEqual([0, 0, 524_288, 524_288, 1_048_576])
  expect(await counts(page)).toEqual([800, 0, 0, 0])
})

test('explains problems with a file', async ({ page, system }) => {
  const { slug } = await system.makePartner()
  await open(page, system)
  await upload(page).click()
  await expect(page.getByText('Choose a file.')).toBeVisible()
  await choose(page, 'empty.csv', '')
  await expect(chooser(page)).toHaveAccessibleDescription('The file is empty.')
  await send(page, 'deals.xlsx', Buffer.from('GIF89a\0\0'), slug)
  await expect(progress(page)).toContainText(
    'This is an image. Export the deals as XLSX, ODS, CSV or NDJSON and import that.',
  )

  await page.goto('/imports')
  await send(page, 'deals.ndjson', lines([{ id: makeIds(1)[0] }]), slug)
  await expect(progress(page)).toContainText(nothingYet)
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect(page).toHaveURL('/imports')
  await expect(page.getByText('File discarded.')).toBeVisible()
  await expect(page.getByRole('table', { name: 'Imports' })).toContainText('deals.xlsx')

  await system.db.$client`update partners set suspended_at = now() where slug = ${slug}`
  await send(page, 'deals.ndjson', '{}', slug)
  await expect(page.getByLabel('Partner', { exact: true })).toHaveAccessibleDescription(
    'A partner of a test is suspended; resume the partner first.',
  )
})

test('the imports page works by keyboard, in both themes, and in a narrow window', async ({
  page,
  system,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  const [known, fresh] = makeIds(2)
  const { slug } = await system.makePartner({ deals: [{ id: BigInt(known!), stage: 'x' }] })
  const clean = async () => {
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  }
  await open(page, system, slug)
  await clean()
  await choose(
    page,
    `${'a-long-name-'.repeat(12)}.csv`,
    `id,stage,color,amount\n${known},y,,30.5k\n${fresh},,,\nx,,,\nx,,,\n`,
  )
  await chooser(page).focus()
  for (let tabs = 0; tabs < 3; tabs++) await page.keyboard.press('Tab')
  await expect(upload(page)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(progress(page)).toContainText(nothingYet)
  await clean()
  await page.getByRole('button', { name: /^Next/ }).press('Enter')
  await clean()
  await page.getByRole('button', { name: 'Next: review' }).press('Enter')
  await expect(page.getByRole('table', { name: 'Unreadable values' }).getByRole('row')).toHaveText([
    /^Line/,
    /^Line 2.*amount “30.5k” is not a number; use one such as 30800.50$/,
  ])
  await clean()
  await doImport(page).focus()
  await page.keyboard.press('Enter')
  await expect(progress(page)).toContainText(/Imported; \d records? rejected\./)
  await expect(progress(page)).toBeFocused()
  await clean()
})

test('other sites, signed-out users and malformed requests cannot upload', async ({ system }) => {
  const [{ id }] = await system.db.$client<[{ id: number }]>`
    insert into imports (file_name, size_bytes, received_bytes, events, state) values ('a.csv', 1, 1, true, 'checked') returning id`
  const cookie = await signedInUser(system, 'operator', null)
  const octets = { 'content-type': 'application/octet-stream', origin: system.url, cookie }
  for (const [headers, path, status] of [
    [{ ...octets, origin: 'https://evil.example' }, `/imports/${id}/content?offset=0`, 403],
    [{ ...octets, 'content-type': 'text/plain' }, `/imports/${id}/content?offset=0`, 415],
    [{ ...octets, cookie: '' }, `/imports/${id}/content?offset=0`, 401],
    [octets, `/imports/${id}/content?offset=0`, 409],
    [octets, '/imports/2000000000/content?offset=0', 404],
    [octets, `/imports/${id}/content?offset=-1`, 400],
    [octets, '/imports/x/content?offset=0', 400],
  ] as const)
    expect((await ask(system, `POST ${path}`, { headers, body: 'x' })).status, path).toBe(status)
  for (const path of ['/imports/2000000000', '/imports/x'])
    expect((await ask(system, `GET ${path}`, { headers: { cookie } })).status, path).toBe(404)
  expect((await ask(system, `GET /imports/${id}/rejected`)).status).toBe(401)
})

test('for a workbook, an operator chooses sheet and columns, and corrects rejected rows on the page', async ({
  page,
  system,
}) => {
  const { slug } = await system.makePartner()
  const [a, b] = makeIds(2)
  const columns = ['Vorgang', 'Phase', `Price ${a}`]
  const workbook = workbookOf({
    Notes: [['Read me']],
    Deals: [columns, [String(a), 'NTP', '1'], [`${b}x`, 'Permit', 'much'], ['', 'Lost', '1']],
  })
  await open(page, system, slug)
  await send(page, 'deals.xlsx', workbook)
  // The portal has chosen the sheet with the table.
  await expect(page.getByRole('combobox', { name: 'Sheet' })).toHaveValue('Deals')
  await expect(progress(page)).toContainText('Choose the header row or the fields of the columns.')
  await expect(page.getByRole('button', { name: '3. Review' })).toHaveCount(0)
  for (const [title, field] of [
    [columns[0], 'Deal ID'],
    [columns[1], 'Stage'],
    [columns[2], 'Amount'],
  ])
    await page.getByLabel(`Field of ${title}`).selectOption(field!)
  await expect(progress(page)).toContainText('Rejected records are skipped')
  await review(page)
  await expect.poll(() => counts(page)).toEqual([1, 0, 0, 2])
  await finish(page, 'Imported; 2 records rejected.')

  await page.getByRole('button', { name: 'Correct here' }).click()
  const rows = page.getByRole('list', { name: 'Rejected rows' }).getByRole('listitem')
  const first = rows.nth(0)
  const sendRows = page.getByRole('button', { name: 'Review corrected rows' })
  await expect(rows).toHaveText([/Line 3.*2 problems/, /Line 4.*1 problem/])
  await expect(first.getByRole('textbox')).toHaveCount(2)
  await expect(sendRows).toBeDisabled()
  expect(await violations(page)).toEqual([])
  const amount = first.getByLabel(/Amount/)
  await expect(amount).toHaveAccessibleDescription('Amount “much” is not a number; use one such as 30800.50')
  await amount.fill('$2,000')
  await expect(first).toContainText('1 problem')
  await expect(amount).toHaveAccessibleDescription('')
  await first.getByLabel(/Deal ID/).fill(String(b))
  await expect(first).toContainText('Correct')
  await first.getByRole('button', { name: 'Show all 3 fields' }).click()
  await expect(first.getByLabel(/Stage/)).toHaveValue('Permit')
  await sendRows.click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('deals - corrected rows.ndjson')
  await expect(progress(page)).toContainText(nothingYet)
  expect(await counts(page)).toEqual([1, 0, 0, 0])
})

test('asks about ambiguous files before the import, and warns of implausible values', async ({
  page,
  system,
}) => {
  const { slug } = await system.makePartner()
  const [a, b] = makeIds(2)
  const rows = [`${a},"Lopez, Ana",Ana Kim,852011,3/4/2026,30.5k`, `${b},"Kim, Bo",Ana Kim,85007,5/6/2026,`]
  await open(page, system, slug)
  await send(page, 'dealer.csv', `id,Deal name,Rep,ZIP,Permit received,Amount\n${rows.join('\n')}\n`)
  const note = page.getByRole('region', { name: 'Columns' }).getByRole('note')
  const rep = page.getByLabel('Field of Rep')
  await expect(note).toContainText('Not imported until you choose a field: Rep')
  await expect(rep).toHaveValue('?')
  await expect(rep.locator('option').nth(1)).toHaveText('Closer')
  await rep.selectOption('closerName')
  await expect(note).not.toContainText('Rep')
  await review(page)
  await expect(page.getByRole('table', { name: 'Warnings' }).getByRole('row')).toHaveText([
    /^Warning/,
    /^No stage.*No column is read as the stage.*Line 2 · Lopez, Ana.*2 deals/s,
    /^Malformed ZIP code.*Line 2 · Lopez, Ana · ZIP code: 852011.*1 deal/s,
  ])
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: '2. Stages and choices' }).click()
  const order = page.getByLabel('Order of day and month')
  await expect(order.locator('option')).toHaveText([
    'Month first: 3/4/2026 is Mar 4, 2026',
    'Day first: 3/4/2026 is Apr 3, 2026',
  ])
  await order.selectOption('day')
  await expect(order).not.toHaveAttribute('aria-busy', 'true')
  await review(page)
  await finish(page, 'Import complete. 1 value left out as unreadable.')
  const deals = await system.db.$client`
    select json::jsonb ->> 'closerName' as closer, json::jsonb ->> 'permitReceived' as received
    from deals where id = ${a!}`
  expect(deals).toEqual([{ closer: 'Ana Kim', received: '2026-04-03T00:00:00.000Z' }])
  await page.goto(`/data-issues/malformedZip?partner=${slug}`)
  await expect(page.getByRole('table').getByRole('row')).toHaveText([/^Deal/, /Lopez, Ana.*852011/])
})

test("moves another partner's deals only if confirmed, counts cleared values in red, and can be undone", async ({
  page,
  system,
}) => {
  const [a, b] = makeIds(2) as [number, number]
  const from = await system.makePartner({ deals: [{ id: BigInt(a), dealname: 'Lopez', stage: 'x' }] })
  const to = await system.makePartner({ deals: [{ id: BigInt(b), stage: 'x' }] })
  await open(page, system)
  await send(page, 'second.csv', `id,stage,city\n${a},,Mesa\n${b},,Mesa\n`, to.slug)
  const list = page.getByRole('region', { name: 'Deals of other partners' })
  await expect(list).toContainText('Rejected unless you move the deals.')
  await expect(list).toContainText('Lopez')
  await review(page)
  expect(await counts(page)).toEqual([0, 1, 0, 1])
  const choices = page.getByRole('button', { name: '2. Stages and choices' })
  await choices.click()
  await page.getByLabel('Empty cells clear their fields').check()
  await review(page)
  const fields = page.getByRole('list', { name: 'Changed fields' })
  await expect(fields.getByText('1 value cleared')).toHaveClass(/text-bad/)
  await choices.click()
  await list.getByLabel(/^Move this deal to/).check()
  await expect(list).toContainText('Moves to')
  await review(page)
  await expect(fields.getByText('2 values cleared')).toBeVisible()
  await expect.poll(() => counts(page)).toEqual([0, 2, 0, 0])
  expect(await violations(page)).toEqual([])
  await finish(page)

  await system.db.$client`update deals set json = replace(json, 'Mesa', 'Tempe') where id = ${b}`
  await page.getByRole('button', { name: 'Undo…' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Undo of second.csv')
  await expect(progress(page)).toContainText('Review what the undo changes. Nothing has changed yet.')
  await expect(page.getByRole('region', { name: 'Counts' }).locator('dd')).toHaveText(['0', '1', '0', '1'])
  await expect(page.getByRole('table', { name: 'Rejected' })).toContainText(`Deal ${b}`)
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(progress(page)).toContainText('Undone. 1 deal left unchanged.')
  const owners = await system.db.$client`
    select slug from deals join partners on partners.id = partner_id where deals.id = ${a}`
  expect(owners).toEqual([{ slug: from.slug }])
  await page.getByRole('link', { name: 'this import' }).click()
  await expect(page.getByRole('main')).toContainText('Undone by this undo.')
  await expect(page.getByRole('button', { name: 'Undo…' })).toHaveCount(0)
})
