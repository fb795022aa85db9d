import { createServer } from 'node:http'
import { allowClosedOutput } from '#server/runtime/process.ts'
import { fillWithDemoDeals } from './demo-deals.ts'
import { StandIn } from './stand-in.ts'

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
      for (const each of [...crm.deals.keys()].slice(0, 20)) crm.change(each, { dealstage: pick(each) })
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
