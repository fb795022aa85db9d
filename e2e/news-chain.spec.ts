import type { Page } from '@playwright/test'
import { freePort } from '#db/free-port.ts'
import { StandIn } from './crm/stand-in.ts'
import { expect, test } from './fixtures.ts'
import { startMailServer } from './mail-server.ts'
import { enter, makeUser, signIn } from './portal-user.ts'
import { type PushService, makeBrowser, startPushService, usePushService } from './push-service.ts'
import { startReceiver } from './receiver.ts'
import { startSystem } from './system.ts'

// From the CRM to every channel that notifies people, and from a question to its answer, over the real
// protocols: SMTP, web push and Slack webhooks.

const pollS = 5
const withinS = 10

/** Starts the system and the local services around it. */
async function startNeighbours() {
  const [crm, mail, push, slack] = [
    new StandIn(),
    await startMailServer(),
    await startPushService(),
    await startReceiver(),
  ]
  const [hubspotUrl, port] = [await crm.listen(), await freePort()]
  const url = `http://127.0.0.1:${port}`
  const system = await startSystem({
    env: {
      PORT: String(port),
      PUBLIC_URL: url,
      HUBSPOT_URL: hubspotUrl,
      SMTP_URL: mail.url,
      WEBHOOK_ALLOW_HTTP: 'on',
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    },
  })
  return {
    crm,
    mail,
    push,
    slack,
    system,
    async stop() {
      await system.dispose()
      await Promise.all([crm.close(), mail.close(), push.close(), slack.close()])
    },
  }
}

type Neighbours = Awaited<ReturnType<typeof startNeighbours>>

/** Connects the CRM with a short poll interval, and waits until its deals belong to the partner. */
async function connect({ system, crm }: Neighbours, slug: string, dealIds: string[]): Promise<void> {
  for (const words of [
    ['source', 'connect', 'HubSpot'],
    ['source', 'poll', 'HubSpot', String(pollS)],
    ['source', 'assign', 'HubSpot', 'Sunline', '--partner', slug],
  ])
    expect(await system.operator(words, crm.token)).toMatchObject({ code: 0 })
  const arrived = async () =>
    (await system.db.$client`select from deals where id = any(${dealIds}) and partner_id is not null`).length
  await expect.poll(arrived, { timeout: 60_000 }).toBe(dealIds.length)
}

const bell = (page: Page) => page.getByRole('banner').getByRole('link', { name: /^Notifications/ })
const messages = (page: Page) => page.getByRole('list', { name: 'Messages' }).locator('> li')

const slackTexts = (slack: Neighbours['slack']) =>
  slack.requests.map(({ body }) => (JSON.parse(body) as { text: string }).text + body)

const pushTexts = (push: PushService, browser: ReturnType<typeof makeBrowser>) =>
  push.pushed.map(({ body }) => browser.decrypt(body))

test.use({ serviceWorkers: 'allow' })

test('a stage change in the CRM reaches the page, mail, push and Slack once, within 10 seconds of the next poll; a question asked from the mail is answered live', async ({
  browser,
}) => {
  test.setTimeout(360_000)
  const around = await startNeighbours()
  const { system, crm, mail, push, slack } = around
  const context = () => browser.newContext({ baseURL: system.url, serviceWorkers: 'allow' })
  const [adminContext, repContext, operatorContext] = [await context(), await context(), await context()]
  try {
    const admin = await makeUser(system, { role: 'admin', name: 'Ada Admin' })
    const rep = await makeUser(system, { name: 'Ana Rep', partner: admin.partner })
    const operator = await makeUser(system, { role: 'operator', name: 'Olivia Grant' })
    // Allow notifications at night, because tests may run at any time.
    await system.db.$client`insert into notification_settings (user_id, at_night) values (${rep.id}, true)`
    const [deal, other] = ['Lopez, Ana', 'Novak, Eva'].map((dealname) =>
      crm.create({ dealname, partner: 'Sunline', dealstage: 'appointmentscheduled' }),
    ) as [string, string]
    await connect(around, admin.slug, [deal, other])

    const adminPage = await adminContext.newPage()
    await enter(adminPage, admin, '/webhooks?tab=channels')
    await adminPage.getByRole('button', { name: 'Post to a team channel' }).click()
    const form = adminPage.getByRole('dialog')
    await form.getByLabel('Name').fill('#deals')
    await form.getByLabel('Webhook URL').fill(`${slack.url}/services/secret`)
    await form.getByRole('button', { name: 'Add channel' }).click()
    await expect(adminPage.getByRole('main')).toContainText('#deals')

    const device = makeBrowser()
    const page = await repContext.newPage()
    await usePushService(page, `${push.url}/push/1`, device.keys)
    await enter(page, rep)
    await page
      .getByRole('region', { name: 'Push notifications on this device' })
      .getByRole('button', { name: 'Turn on' })
      .click()
    await expect(page.getByText('Push notifications are on.')).toBeVisible()
    for (const id of [other, deal]) {
      await page.goto(`/deals/${id}`)
      await page.getByRole('button', { name: 'Follow', exact: true }).click()
      await expect(page.getByRole('button', { name: 'Following' })).toBeVisible()
    }
    const live = page.waitForResponse((response) => new URL(response.url()).pathname === '/live')
    await page.goto('/')
    await live

    const polled = Promise.withResolvers<number>()
    crm.change(deal, { dealstage: '1001' })
    crm.fault = () => void polled.resolve(performance.now())
    const polledAt = await polled.promise
    const timeout = (withinS + pollS) * 1000
    const seconds = async (seen: Promise<unknown>) => {
      await seen
      return (performance.now() - polledAt) / 1000
    }
    const took = await Promise.all([
      seconds(expect(bell(page)).toHaveAccessibleName('Notifications 1 unread', { timeout })),
      seconds(expect.poll(() => mail.to(rep.email).length, { timeout }).toBe(1)),
      seconds(expect.poll(() => push.pushed.length, { timeout }).toBe(1)),
      seconds(expect.poll(() => slack.requests.length, { timeout }).toBe(1)),
    ])
    test.info().annotations.push({
      type: 'seconds from the poll until page, mail, push and Slack had it',
      description: took.map((each) => each.toFixed(1)).join(', '),
    })
    expect(Math.max(...took)).toBeLessThan(withinS)

    await bell(page).click()
    const news = page.getByRole('list', { name: 'Notifications' }).locator('> li')
    await expect(news).toHaveCount(1)
    const [update] = mail.to(rep.email)
    const line = 'Stage moved to Permit Submitted'
    await expect(news).toContainText(`Lopez, Ana${line}`)
    expect(update!.text).toContain(`Lopez, Ana\n- ${line}\n${system.url}/deals/${deal}\n`)
    expect(update!.headers.get('subject')).toBe('Lopez, Ana: stage moved to Permit Submitted')
    expect(update!.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    expect(update!.headers.get('in-reply-to')).toBe(`<deal-${deal}.user-${rep.id}@127.0.0.1>`)
    expect(slackTexts(slack)).toEqual([expect.stringContaining(line)])
    expect(push.pushed[0]).toMatchObject({ path: '/push/1', headers: { 'content-encoding': 'aes128gcm' } })
    expect(pushTexts(push, device)).toEqual([
      { title: 'Lopez, Ana', body: line, url: `/deals/${deal}`, tag: `deal-${deal}` },
    ])

    await adminPage.goto('/team')
    await adminPage.getByRole('checkbox', { name: /^Push notifications name homeowners/ }).click()
    await expect(adminPage.getByText('Push notifications no longer name homeowners.')).toBeVisible()
    crm.change(other, { dealstage: '1002' })
    await expect.poll(() => push.pushed.length, { timeout: timeout + withinS * 1000 }).toBe(2)
    await expect.poll(() => mail.to(rep.email).length).toBe(2)
    expect(pushTexts(push, device)[1]).toEqual({
      title: `Deal ${other}`,
      body: 'Stage moved to Install Scheduled',
      url: `/deals/${other}`,
      tag: `deal-${other}`,
    })
    await expect(news).toHaveCount(2)

    await page.goto(`/deals/${deal}`)
    await page.getByRole('button', { name: 'Ask a question' }).click()
    await page.getByRole('textbox', { name: 'Ask the installer' }).fill('When is the inspection?')
    await page.keyboard.press('Control+Enter')
    await expect(messages(page)).toHaveCount(1)
    await expect.poll(() => mail.to(operator.email).length).toBe(1)
    const [question] = mail.to(operator.email)
    expect(question!.headers.get('subject')).toBe('Question about Lopez, Ana')
    expect(question!.text).toContain('When is the inspection?')
    const [link] = /http\S+\?thread=\d+#answer/.exec(question!.text)!

    const operatorPage = await operatorContext.newPage()
    await operatorPage.goto(link)
    await signIn(operatorPage, operator)
    const answer = operatorPage.getByRole('textbox', { name: 'Answer', exact: true })
    await expect(answer).toBeFocused()
    await answer.fill('On Friday at nine.')
    await operatorPage.getByRole('button', { name: 'Send' }).click()
    await expect(messages(page)).toHaveCount(2)
    await expect(messages(page).last()).toContainText('Olivia Grant')
    await expect(messages(page).last()).toContainText('On Friday at nine.')

    // Everything was sent once. Only notifications that are collected for ten minutes are still pending.
    expect([mail.to(rep.email).length, mail.to(operator.email).length]).toEqual([2, 1])
    expect([push.pushed.length, slack.requests.length]).toEqual([2, 1])
    const due = await system.db.$client`
      select from notification_deliveries where due_at <= now() + interval '1 minute'`
    expect(due).toHaveLength(0)
  } finally {
    await Promise.all([adminContext, repContext, operatorContext].map((each) => each.close()))
    await around.stop()
  }
})
