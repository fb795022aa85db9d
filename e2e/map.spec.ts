import { expect, test } from './fixtures.ts'
import { enter, makeUser, ready, watch } from './portal-user.ts'

const places = [
  { dealname: 'Garcia, Ana', coordinates: '33.4484,-112.0740', stage: 'Site Survey' },
  { dealname: 'Lopez, Luis', coordinates: '33.4152,-111.8315', stage: 'CAD Design' },
  { dealname: 'Ito, Emi', coordinates: '32.2226,-110.9747', stage: 'Site Survey' },
  { dealname: 'Novak, Eva', coordinates: '39.7392,-104.9903', stage: 'Site Survey' },
  { dealname: 'Reed, Kim', coordinates: '0,0' },
  // A location that the map does not show.
  { dealname: 'Cruz, Sol', coordinates: '18.4655,-66.1057' },
]

test('the map leads from the country to a county, a deal and the list, keeping the filters', async ({
  page,
  system,
}) => {
  const user = await makeUser(system, { deals: places.map((deal) => ({ ...deal, amount: 20_000 })) })
  const faults = watch(page)
  await enter(page, user, '/deals/map')
  await ready(page)

  const list = page.getByRole('region', { name: 'Places' })
  const map = page.getByRole('region', { name: 'Map', exact: true })
  await expect(page.getByRole('heading', { name: 'Deals', level: 1 }).locator('..')).toContainText(
    '6 deals · $120,000',
  )
  await expect(list.getByRole('row')).toHaveText([
    'StateDealsAmount',
    'Arizona3$60K',
    'Colorado1$20K',
    'Puerto Rico1$20K',
    'No usable coordinates1$20K',
  ])
  await expect(list.getByRole('button', { name: 'Zoom to Puerto Rico' })).toHaveCount(0)
  await expect(map.locator('path[class*=hover]')).toHaveCount(3)

  // Zoom to a state in the list, then click a county, then go back.
  await list.getByRole('button', { name: 'Zoom to Arizona' }).click()
  await expect(page).toHaveURL('/deals/map?at=Arizona')
  await expect(map.locator('circle')).toHaveCount(3)
  await expect(list).toContainText('3 deals.')
  await map.locator('path[class*=hover]').first().hover()
  await expect(page.getByText('Maricopa, AZ · 2 deals · $40,000')).toBeVisible()
  await page.goBack()
  await expect(map.locator('circle')).toHaveCount(0)
  await page.goForward()
  await list.getByRole('button', { name: 'Zoom to Maricopa, AZ' }).click()
  await expect(list.getByRole('link', { name: 'Garcia, Ana' })).toBeVisible()
  // Printed maps have light colors and no controls.
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await expect(page.locator('html')).toHaveCSS('color-scheme', 'light')
  await expect(page.getByRole('banner')).toBeHidden()
  await expect(map.locator('path[class*=hover]').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Zoom in' })).toBeHidden()
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' })
  await map.locator('circle').first().click()
  await expect(page).toHaveURL(/\/deals\/\d+$/)
  await page.goBack()

  // Turn the visible area into a filter. The list keeps the filter and can remove it.
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await page.getByRole('button', { name: 'Filter to this area' }).click()
  await expect(page.getByRole('button', { name: /^Remove Area:/ })).toBeVisible()
  await expect(page.getByRole('status').getByText('2 deals · $40,000')).toBeVisible()
  await page.getByRole('link', { name: 'List', exact: true }).click()
  await expect(page).toHaveURL(/\/deals\?.*area=/)
  await expect(page.getByRole('link', { name: /Garcia|Lopez/ })).toHaveCount(2)
  await page.getByRole('button', { name: /^Remove Area/ }).click()
  await expect(page.getByText('6 deals · $120,000')).toBeVisible()

  // Links in the list open exactly the deals of their place.
  await page.goto('/deals/map?stage=Site+Survey')
  await list.getByRole('link', { name: 'Arizona: 2 deals, show as list' }).click()
  await expect(page).toHaveURL('/deals?stage=Site+Survey&place=Arizona')
  await expect(page.getByText('2 deals · $40,000')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Remove Region: Arizona' })).toBeVisible()
  // All pages of deals can filter by county and state.
  await page.goto('/deals/board')
  await page.getByRole('button', { name: 'Region', exact: true }).click()
  await page.getByPlaceholder('Find in region…').fill('maric')
  await page.getByRole('option', { name: 'Maricopa, AZ 2' }).click()
  await expect(page).toHaveURL('/deals/board?place=Maricopa,+AZ')
  expect(faults).toEqual([])
})
