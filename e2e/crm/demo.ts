import { createServer } from 'node:http'
import { allowClosedOutput } from '#server/runtime/process.ts'
import { property, StandIn } from './stand-in.ts'

// Deals for crm:demo that look as if people had entered them by hand.

const dayMs = 86_400_000
const count = 300

const names = ['Garcia, Daniel', 'Lopez, Ana', 'Rivera, Sam', 'Chen, Wei', 'Novak, Eva', 'Okafor, Ada']
const towns = [
  ['Phoenix', '85004'],
  ['Mesa', '85201'],
  ['Tempe', '85281'],
] as const

/** Dates of a project in order, with the days between the deal's creation and each date. */
const dates = [
  ['site_survey_requested', 2],
  ['site_survey_completed', 6],
  ['cad_requested', 7],
  ['cad_completed', 11],
  ['permit_submitted', 16],
  ['permit_received', 35],
  ['installed_scheduled', 44],
  ['install_complete', 45],
  ['funding_submitted', 50],
] as const

/** Stages of both pipelines, with the number of dates that lie in the past for deals in that stage. */
const stages = [
  { pipeline: 'default', id: 'appointmentscheduled', reached: 1 },
  { pipeline: 'default', id: '1001', reached: 5 },
  { pipeline: 'default', id: '1002', reached: 7 },
  { pipeline: 'default', id: 'closedwon', reached: 9 },
  { pipeline: 'default', id: 'closedlost', reached: 2 },
  { pipeline: 'commercial', id: '2001', reached: 4 },
  { pipeline: 'commercial', id: '2002', reached: 5 },
  { pipeline: 'commercial', id: '2003', reached: 7 },
] as const

/** A pipeline set up by another person, with one additional stage and two different spellings. */
const commercial = {
  id: 'commercial',
  label: 'Commercial Solar',
  displayOrder: 1,
  archived: false,
  stages: ['Plan Check', 'permit submitted', 'INSTALL-SCHEDULED'].map((label, index) => ({
    id: String(2001 + index),
    label,
    displayOrder: index,
    metadata: { probability: '0.5', isClosed: 'false' },
  })),
}

const missing = 0.6

const odd: Record<number, Record<string, string>> = {
  31: { amount: '-5000' },
  62: { system_size: '0' },
  93: { zip_code: '852011' },
}

/** Fills a stand-in with deals of these partners in turn, and some without a partner. */
function fillWithDemoDeals(crm: StandIn, partners: readonly string[], nowMs = Date.now()): void {
  crm.pipelines.push(commercial)
  crm.properties.push(
    property('zip_code', 'ZIP', 'string', 'text'),
    ...dates
      .filter(([name]) => name !== 'permit_submitted')
      .map(([name]) => property(name, name.replaceAll('_', ' '), 'date', 'date')),
  )
  const random = randomFrom(7)
  for (let index = 0; index < count; index++) {
    const stage = stages[index % stages.length]!
    const createdMs = nowMs - Math.floor(20 + random() * 160) * dayMs
    const [city, zip] = towns[index % towns.length]!
    const kilowatts = 6 + (index % 9) / 2
    crm.create(
      {
        dealname: `${names[index % names.length]!} - ${kilowatts.toFixed(2)} kW`,
        createdate: new Date(createdMs).toISOString(),
        amount: String(24_000 + index * 37),
        pipeline: stage.pipeline,
        dealstage: stage.id,
        hubspot_owner_id: random() < 0.7 ? '41203' : '',
        partner: [...partners, ''][index % (partners.length + 1)]!,
        city,
        state: 'AZ',
        zip_code: random() < 0.5 ? zip : '',
        system_size: random() < 0.4 ? kilowatts.toFixed(2) : '',
        ...datesOf(createdMs, stage.reached, random),
        ...odd[index],
      },
      nowMs - index * 60_000,
    )
  }
}

function datesOf(createdMs: number, reached: number, random: () => number): Record<string, string> {
  return Object.fromEntries(
    dates.slice(0, reached).flatMap(([name, days]) => {
      const day = new Date(createdMs + days * dayMs).toISOString().slice(0, 10)
      return random() < missing ? [] : [[name, day]]
    }),
  )
}

/**
 * Returns a generator of numbers from 0 to 1 that are always the same for a seed (a linear congruential
 * generator).
 */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31
}

allowClosedOutput()

// npm run crm:demo: a HubSpot stand-in with a page for changing its deals, to watch changes in the portal.

const port = Number(process.env.CRM_PORT ?? 4000)
const partners = ['sunline-home-energy', 'Acme Solar LLC']

const crm = new StandIn()
fillWithDemoDeals(crm, partners)
const url = await crm.listen(port)

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

const stagesOf = (pipeline: string | null | undefined) =>
  crm.pipelines.find(({ id }) => id === pipeline)!.stages

function page(): string {
  const rows = [...crm.deals.values()]
    .filter(({ archived }) => !archived)
    .toSorted((a, b) => b.modifiedMs - a.modifiedMs)
    .slice(0, 40)
    .map(({ id, properties }) => {
      const choices = stagesOf(properties['pipeline'])
        .map(
          (stage) =>
            `<option value="${stage.id}"${stage.id === properties['dealstage'] ? ' selected' : ''}>${escape(stage.label)}</option>`,
        )
        .join('')
      return `<tr><td>${id}</td><td>${escape(properties['dealname'] ?? '')}</td><td>${escape(properties['partner'] ?? '')}</td><td><form method="post"><input type="hidden" name="id" value="${id}"><select name="dealstage" aria-label="Stage of ${id}">${choices}</select> <button name="do" value="change">Change</button> <button name="do" value="archive">Archive</button></form></td></tr>`
    })
    .join('\n')
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Stand-in of HubSpot</title>
<style>body{font:16px system-ui;margin:2rem auto;max-width:60rem;padding:0 1rem}td{padding:.25rem .75rem .25rem 0}</style>
<h1>Stand-in of HubSpot</h1><p>${crm.deals.size} deals. ${crm.requests.length} requests so far.</p>
<form method="post"><button name="do" value="create">Create a deal</button> <button name="do" value="burst">Change 20 deals</button></form>
<table>${rows}</table></html>`
}

function act(form: URLSearchParams): void {
  const id = form.get('id') ?? ''
  const pick = (deal: string) => {
    const stages = stagesOf(crm.deals.get(deal)!.properties['pipeline'])
    return stages[Math.floor(Math.random() * stages.length)]!.id
  }
  switch (form.get('do')) {
    case 'create':
      crm.create({ dealname: 'New deal', partner: partners[0]! })
      break
    case 'burst':
      for (const id of [...crm.deals.keys()].slice(0, 20)) crm.change(id, { dealstage: pick(id) })
      break
    case 'archive':
      if (crm.deals.has(id)) crm.archive(id)
      break
    default:
      if (crm.deals.has(id)) crm.change(id, { dealstage: form.get('dealstage') ?? pick(id) })
  }
}

createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  if (request.method === 'POST') {
    act(new URLSearchParams(Buffer.concat(chunks).toString('utf8')))
    response.writeHead(303, { location: '/' }).end()
    return
  }
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page())
}).listen(port + 1, '127.0.0.1')

process.stdout.write(`HubSpot's API:    ${url}
Its deals:        http://127.0.0.1:${port + 1}

In a second terminal:
  HUBSPOT_URL=${url} npm start
In a third one, unless you connect it in the portal under Sources, which shows what it holds first:
  echo ${crm.token} | HUBSPOT_URL=${url} npm run -s operator -- source connect HubSpot
  HUBSPOT_URL=${url} npm run -s operator -- source poll HubSpot 5
  npm run -s operator -- source assign HubSpot sunline-home-energy --partner sunline-home-energy
`)
