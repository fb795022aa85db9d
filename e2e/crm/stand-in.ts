import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { listenLocally } from '../loopback.ts'

// A stand-in for HubSpot's CRM API, based on the public documentation. Search:
// https://developers.hubspot.com/docs/api-reference/crm-search-v3 (200 results, five requests per second, no
// archived records, one sort order, an index that lags; the product does not use its paging). Limits:
// https://developers.hubspot.com/docs/developer-tooling/platform/usage-guidelines (190 requests in ten
// seconds, and a daily limit).

/** A deal in the stand-in. */
export interface StandInDeal {
  id: string
  properties: Record<string, string | null>
  createdMs: number
  modifiedMs: number
  archived: boolean
  archivedMs: number | null
  mergedInto: string | null
  /**
   * When the search index is updated with the deal's current state. Until then, searches return `indexed`.
   */
  indexedAt: number
  indexed: { properties: Record<string, string | null>; modifiedMs: number } | null
}

export interface StandInOptions {
  token?: string
  /** Maximum number of requests in ten seconds, searches per second, and requests per day. */
  limits?: { burst: number; searches: number; daily: number }
  lagMs?: number
  /** ID of the first deal. Later deals have higher IDs. */
  firstId?: number
}

/** Returns a response that replaces the stand-in's own, or undefined for no replacement. */
export type Fault = (
  path: string,
) => { status: number; headers?: Record<string, string>; body?: string } | 'cut' | undefined

interface SearchBody {
  filterGroups?: {
    filters: { propertyName: string; operator: string; value?: string; highValue?: string }[]
  }[]
  sorts?: { propertyName: string; direction: string }[]
  properties?: string[]
  limit?: number
}

interface Batch {
  inputs: { id: string; after?: string }[]
  properties?: string[]
}

const searchPageMax = 200
const listPageMax = 100
const batchMax = 100
const ownersPageMax = 500

/** A file in the stand-in. */
export interface StandInFile {
  name: string
  extension: string
  content: Buffer
  updatedAt: string
}

interface StandInNote {
  attachments: string[]
  deals: string[]
}

// Fewer than in HubSpot, so that tests cover paging.
const associationsOfOne = 2
const associationInputsMax = 1000

const signature = 'signed'

/** HubSpot's API over HTTP, with deals in memory. */
export class StandIn {
  readonly deals = new Map<string, StandInDeal>()
  readonly files = new Map<string, StandInFile>()
  readonly notes = new Map<string, StandInNote>()
  readonly owners: Record<string, unknown>[] = [
    {
      id: '41203',
      email: 'maria.alvarez@brightroof.example',
      type: 'PERSON',
      firstName: 'Maria',
      lastName: 'Alvarez',
      userId: 7719402,
      createdAt: '2023-04-11T15:02:44.000Z',
      updatedAt: '2026-01-19T08:30:00.000Z',
      archived: false,
      teams: [
        { id: '5511', name: 'California Sales', primary: false },
        { id: '5510', name: 'Project Management', primary: true },
      ],
    },
  ]
  readonly pipelines: {
    id: string
    label: string
    displayOrder: number
    archived: boolean
    stages: { id: string; label: string; displayOrder: number; metadata: Record<string, string> }[]
  }[] = [
    {
      id: 'default',
      label: 'Residential Solar',
      displayOrder: 0,
      archived: false,
      stages: [
        ['appointmentscheduled', 'Site Survey', '0.2', 'false'],
        ['1001', 'Permit Submitted', '0.4', 'false'],
        ['1002', 'Install Scheduled', '0.6', 'false'],
        ['closedwon', 'Funded', '1.0', 'true'],
        ['closedlost', 'Cancelled', '0.0', 'true'],
      ].map(([id, label, probability, isClosed], displayOrder) => ({
        id: id!,
        label: label!,
        displayOrder,
        metadata: { probability: probability!, isClosed: isClosed! },
      })),
    },
  ]
  readonly properties: object[] = [
    property('dealname', 'Deal Name', 'string', 'text'),
    property('amount', 'Amount', 'number', 'number'),
    property('dealstage', 'Deal Stage', 'enumeration', 'radio'),
    property('pipeline', 'Pipeline', 'enumeration', 'select'),
    property('hubspot_owner_id', 'Deal owner', 'enumeration', 'select'),
    property('createdate', 'Create Date', 'datetime', 'date'),
    property('hs_lastmodifieddate', 'Last Modified Date', 'datetime', 'date'),
    property('hs_v2_date_entered_current_stage', 'Date entered current stage', 'datetime', 'date'),
    property('notes_last_updated', 'Last Activity Date', 'datetime', 'date'),
    property('first_name', 'First name', 'string', 'text'),
    property('last_name', 'Last name', 'string', 'text'),
    property('city', 'City', 'string', 'text'),
    property('state', 'State', 'string', 'text'),
    property('street_address', 'Street address', 'string', 'text'),
    property('permit_submitted', 'Permit submitted', 'date', 'date'),
    property('has_battery', 'Has battery', 'bool', 'booleancheckbox'),
    property('system_size', 'System size', 'string', 'text'),
    property('partner', 'Partner', 'string', 'text'),
    property('hs_merged_object_ids', 'Merged Deal IDs', 'enumeration', 'checkbox'),
    property('deal_currency_code', 'Currency', 'enumeration', 'select', [
      ['USD', 'US Dollar (USD)'],
      ['MXN', 'Mexican Peso (MXN)'],
    ]),
    property('amount_in_home_currency', 'Amount in company currency', 'number', 'calculation_equation'),
    property('num_notes', 'Number of times contacted', 'number', 'number'),
    property('adders', 'Adders', 'enumeration', 'checkbox', [
      ['mpu', 'Main panel upgrade'],
      ['guard', 'Critter guard'],
    ]),
  ]
  readonly requests: string[] = []
  fault: Fault = () => undefined
  token: string
  lagMs: number
  signedForMs = 3_600_000
  url = ''
  readonly #limits: { burst: number; searches: number; daily: number }
  readonly #recent: number[] = []
  readonly #searches: number[] = []
  #today = 0
  #sorted: StandInDeal[] = []
  #next: number
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  constructor({
    token = 'pat-na1-stand-in',
    limits = { burst: 190, searches: 5, daily: 650_000 },
    lagMs = 0,
    firstId = 20_411_000_000,
  }: StandInOptions = {}) {
    this.token = token
    this.#limits = limits
    this.lagMs = lagMs
    this.#next = firstId
  }

  async listen(port = 0): Promise<string> {
    const { url, close } = await listenLocally(this.#server, port)
    this.close = close
    return (this.url = url)
  }

  /** Does nothing before the stand-in listens. */
  close = async (): Promise<void> => {}

  connections(): Promise<number> {
    return promisify(this.#server.getConnections.bind(this.#server))()
  }

  /** Creates a deal with the modification time `modifiedMs`. Returns the deal's ID. */
  create(
    properties: Record<string, string | null>,
    modifiedMs = Date.now(),
    id = String(++this.#next),
  ): string {
    this.deals.set(id, {
      id,
      properties: { pipeline: 'default', dealstage: 'appointmentscheduled', ...properties },
      createdMs: modifiedMs,
      modifiedMs,
      archived: false,
      archivedMs: null,
      mergedInto: null,
      indexedAt: Date.now() + this.lagMs,
      indexed: null,
    })
    return id
  }

  /** Changes properties of a deal and sets the modification time to `modifiedMs`. */
  change(id: string, properties: Record<string, string | null>, modifiedMs = Date.now()): void {
    const deal = this.deals.get(id)!
    this.#keepIndexed(deal)
    deal.properties = { ...deal.properties, ...properties }
    if (properties['dealstage'] !== undefined)
      deal.properties['hs_v2_date_entered_current_stage'] = new Date(modifiedMs).toISOString()
    deal.modifiedMs = modifiedMs
  }

  /** Adds a file or changes its content. Returns the file's ID. */
  putFile(name: string, content: string, id = String(++this.#next), updatedMs = Date.now()): string {
    const at = name.lastIndexOf('.')
    this.files.set(id, {
      name: name.slice(0, at),
      extension: name.slice(at + 1),
      content: Buffer.from(content),
      updatedAt: new Date(updatedMs).toISOString(),
    })
    return id
  }

  /**
   * Adds a note about deals or changes its attachments. As in HubSpot, this modifies the deals. Returns the
   * note's ID.
   */
  putNote(deals: string[], attachments: string[], id = String(++this.#next)): string {
    this.notes.set(id, { attachments, deals })
    for (const deal of deals) this.change(deal, { notes_last_updated: new Date().toISOString() })
    return id
  }

  removeNote(id: string): void {
    const { deals } = this.notes.get(id)!
    this.notes.delete(id)
    for (const deal of deals) this.change(deal, { num_notes: String(this.notes.size) })
  }

  /** Archives a deal without changing its modification time. */
  archive(id: string): void {
    const deal = this.deals.get(id)!
    this.#keepIndexed(deal)
    deal.archived = true
    deal.archivedMs = Date.now()
  }

  /** Restores an archived deal without changing its modification time. */
  restore(id: string): void {
    const deal = this.deals.get(id)!
    deal.archived = false
    deal.archivedMs = null
  }

  /** Merges a deal into another deal. The list of archived deals does not contain the merged deal. */
  merge(id: string, into: string): void {
    const deal = this.deals.get(id)!
    this.#keepIndexed(deal)
    deal.archived = true
    deal.mergedInto = into
    const earlier = this.deals.get(into)!.properties['hs_merged_object_ids']
    this.change(into, { hs_merged_object_ids: earlier ? `${earlier};${id}` : id })
  }

  /** Makes the search index return the present state until the lag has passed. */
  #keepIndexed(deal: StandInDeal): void {
    deal.indexed = deal.archived ? null : { properties: deal.properties, modifiedMs: deal.modifiedMs }
    deal.indexedAt = Date.now() + this.lagMs
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stand-in')
    this.requests.push(pathname)
    const sent = await text(request)
    const fault = this.fault(pathname)
    if (fault === 'cut') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' })
      response.write('{"results":[{"id":"1","prop', () => request.socket.destroy())
      return
    }
    if (fault !== undefined)
      return send(response, fault.status, fault.body ?? refusal('Service is unavailable'), fault.headers)
    if (pathname.startsWith('/signed/'))
      return this.#answerSigned(pathname.slice('/signed/'.length), searchParams, response)
    if (request.headers.authorization !== `Bearer ${this.token}`)
      return send(response, 401, refusal('Authentication credentials not found', 'INVALID_AUTHENTICATION'))
    const limit = this.#limitOf(pathname)
    if (limit !== null) {
      const [message, policyName] = limit
      // Like HubSpot, this response does not say when to retry.
      const body = { ...refusal(message, 'RATE_LIMIT'), errorType: 'RATE_LIMIT', policyName }
      return send(response, 429, body, { 'x-hubspot-ratelimit-remaining': '0' })
    }
    const body = sent === '' ? {} : (JSON.parse(sent) as object)
    const [status, answer] = this.#route(request.method ?? '', pathname, searchParams, body)
    send(response, status, answer as object)
  }

  /** Serves a file at its signed URL without authentication. */
  #answerSigned(id: string, query: URLSearchParams, response: ServerResponse): void {
    const content = this.files.get(id)?.content
    if (content === undefined || query.get('Signature') !== signature) response.writeHead(403).end()
    else response.writeHead(200, { 'content-length': content.length }).end(content)
  }

  /** https://developers.hubspot.com/docs/api-reference/files-files-v3 */
  #file(id: string, isSigned: boolean): [number, unknown] {
    const file = this.files.get(id)
    if (file === undefined) return [404, { status: 'error', message: `File ${id} not found` }]
    const { name, extension, content, updatedAt } = file
    const described = { name, extension, type: 'DOCUMENT', size: content.length }
    if (!isSigned) return [200, { id, ...described, createdAt: updatedAt, updatedAt, archived: false }]
    const expiresAt = new Date(Date.now() + this.signedForMs).toISOString()
    return [200, { ...described, expiresAt, url: `${this.url}/signed/${id}?Signature=${signature}` }]
  }

  #limitOf(path: string): [message: string, policyName: string] | null {
    const now = performance.now()
    const { burst, searches, daily } = this.#limits
    if (++this.#today > daily) return ['You have reached your daily limit.', 'DAILY']
    if (isOver(this.#recent, now, 10_000, burst))
      return ['You have reached your ten_secondly_rolling limit.', 'TEN_SECONDLY_ROLLING']
    if (path.endsWith('/search') && isOver(this.#searches, now, 1000, searches))
      return ['You have reached your secondly limit.', 'SECONDLY']
    return null
  }

  #route(method: string, path: string, query: URLSearchParams, body: object): [number, unknown] {
    const [, file, isSigned] = /^\/files\/v3\/files\/(\d+)(\/signed-url)?$/.exec(path) ?? []
    if (method === 'GET' && file !== undefined) return this.#file(file, isSigned !== undefined)
    switch (`${method} ${path}`) {
      case 'GET /crm/v3/properties/deals':
        return [200, { results: this.properties }]
      case 'GET /crm/v3/pipelines/deals':
        return [200, { results: this.pipelines }]
      case 'GET /account-info/v3/details':
        return [200, { portalId: 1, companyCurrency: 'USD', additionalCurrencies: ['MXN'] }]
      case 'GET /crm/v3/owners':
        return this.#listOwners(query)
      case 'GET /crm/v3/objects/deals':
        return this.#list(query)
      case 'POST /crm/v3/objects/deals/search':
        return this.#search(body)
      case 'POST /crm/v3/objects/deals/batch/read':
        return this.#batchRead(body as Batch)
      case 'POST /crm/v4/associations/deals/notes/batch/read':
        return this.#notesOf(body as Batch)
      case 'POST /crm/v3/objects/notes/batch/read':
        return this.#readNotes(body as Batch)
      default:
        return [404, { status: 'error', message: 'Not found' }]
    }
  }

  #listOwners(query: URLSearchParams): [number, unknown] {
    if (Number(query.get('limit') ?? 100) > ownersPageMax)
      return badRequest(`limit must be at most ${ownersPageMax}`)
    const isArchived = query.get('archived') === 'true'
    return [200, { results: this.owners.filter(({ archived = false }) => archived === isArchived) }]
  }

  #list(query: URLSearchParams): [number, unknown] {
    const limit = Number(query.get('limit') ?? 10)
    if (limit > listPageMax) return badRequest(`limit must be at most ${listPageMax}`)
    const after = BigInt(query.get('after') ?? 0)
    const properties = this.#knownOf(query.get('properties')?.split(',') ?? [])
    const isArchived = query.get('archived') === 'true'
    const rest = this.#byId().filter(
      ({ archived, mergedInto, id }) => archived === isArchived && mergedInto === null && BigInt(id) > after,
    )
    const page = rest.slice(0, limit)
    const results = page.map((deal) => toObject(deal, deal, properties))
    return [
      200,
      rest.length > limit ? { results, paging: { next: { after: page.at(-1)!.id } } } : { results },
    ]
  }

  #search(body: SearchBody): [number, unknown] {
    const { filterGroups = [], sorts = [], properties = [], limit = 10 } = body
    const filters = filterGroups.flatMap((group) => group.filters)
    for (const { propertyName, operator, value, highValue } of filters) {
      if (
        !['hs_object_id', 'hs_lastmodifieddate'].includes(propertyName) ||
        !/^(?:GT|BETWEEN)$/.test(operator)
      )
        return badRequest(`The stand-in does not support ${propertyName} ${operator}`)
      if ([value, highValue].some((each) => each !== undefined && typeof each !== 'string'))
        return badRequest('Invalid input JSON: a filter value must be a string')
    }
    if (limit > searchPageMax) return badRequest(`limit must be at most ${searchPageMax}`)
    if (sorts.length > 1) return badRequest('Only one sort is allowed')
    const now = Date.now()
    const found = this.#byId()
      .flatMap((deal) => {
        const present = deal.archived ? null : deal
        const state = deal.indexedAt > now ? deal.indexed : present
        return state === null ? [] : [{ deal, state }]
      })
      .filter(
        ({ deal, state }) =>
          filterGroups.length === 0 ||
          filterGroups.some(({ filters }) => filters.every((filter) => fits(filter, deal, state))),
      )
    if (sorts[0]?.propertyName === 'hs_lastmodifieddate')
      found.sort(
        (a, b) => (a.state.modifiedMs - b.state.modifiedMs) * (sorts[0]!.direction === 'DESCENDING' ? -1 : 1),
      )
    const names = this.#knownOf(properties)
    const results = found.slice(0, limit).map(({ deal, state }) => toObject(deal, state, names))
    return [200, { total: found.length, results }]
  }

  /** https://developers.hubspot.com/docs/api-reference/crm-associations-v4 */
  #notesOf({ inputs }: Batch): [number, unknown] {
    if (inputs.length > associationInputsMax)
      return badRequest(`inputs must be at most ${associationInputsMax}`)
    const found = inputs.map(({ id, after = '0' }) => {
      const notes = [...this.notes].filter(([, { deals }]) => deals.includes(id)).map(([note]) => note)
      const end = Number(after) + associationsOfOne
      const to = notes.slice(Number(after), end).map((note) => ({
        toObjectId: Number(note),
        associationTypes: [{ category: 'HUBSPOT_DEFINED', typeId: 213, label: null }],
      }))
      return { from: { id }, to, ...(notes.length > end && { paging: { next: { after: String(end) } } }) }
    })
    const results = found.filter(({ to }) => to.length > 0)
    if (results.length === found.length) return [200, { status: 'COMPLETE', results }]
    const errors = [{ status: 'error', category: 'OBJECT_NOT_FOUND', message: 'No notes of some deals' }]
    return [207, { status: 'COMPLETE', results, numErrors: found.length - results.length, errors }]
  }

  #readNotes({ inputs, properties = [] }: Batch): [number, unknown] {
    if (inputs.length > batchMax) return badRequest(`inputs must be at most ${batchMax}`)
    const results = inputs.flatMap(({ id }) => {
      const note = this.notes.get(id)
      if (note === undefined) return []
      const attachments = properties.includes('hs_attachment_ids') ? note.attachments.join(';') : undefined
      const at = new Date(0).toISOString()
      return {
        id,
        properties: { hs_attachment_ids: attachments },
        createdAt: at,
        updatedAt: at,
        archived: false,
      }
    })
    return [200, { status: 'COMPLETE', results }]
  }

  #byId(): StandInDeal[] {
    if (this.#sorted.length !== this.deals.size) this.#sorted = [...this.deals.values()].toSorted(byId)
    return this.#sorted
  }

  #batchRead({ inputs, properties = [] }: Batch): [number, unknown] {
    if (inputs.length === 0 || inputs.length > batchMax) return badRequest(`from 1 to ${batchMax} inputs`)
    const found = inputs.map(({ id }) => {
      let deal = this.deals.get(id)
      while (deal?.mergedInto != null) deal = this.deals.get(deal.mergedInto)
      return deal === undefined || deal.archived ? undefined : deal
    })
    const deals = new Set(found.flatMap((deal) => deal ?? []))
    const names = this.#knownOf(properties)
    const results = [...deals].map((deal) => toObject(deal, deal, names))
    const missing = inputs.filter((_, at) => found[at] === undefined).map(({ id }) => id)
    if (missing.length === 0) return [200, { status: 'COMPLETE', results }]
    const message = 'Could not get some DEAL objects, they may be deleted or not exist.'
    const errors = [{ status: 'error', category: 'OBJECT_NOT_FOUND', message, context: { ids: missing } }]
    return [207, { status: 'COMPLETE', results, numErrors: 1, errors }]
  }

  /** Returns the properties that exist. HubSpot silently drops unknown properties. */
  #knownOf(names: string[]): string[] {
    const known = new Set((this.properties as { name: string }[]).map(({ name }) => name))
    return names.filter((name) => known.has(name))
  }
}

type State = Pick<StandInDeal, 'properties' | 'modifiedMs'>

const byId = (a: { id: string }, b: { id: string }) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1)

function isOver(times: number[], now: number, spanMs: number, most: number): boolean {
  while (times.length > 0 && times[0]! <= now - spanMs) times.shift()
  if (times.length >= most) return true
  times.push(now)
  return false
}

function fits(
  filter: { propertyName: string; operator: string; value?: string; highValue?: string },
  deal: StandInDeal,
  state: State,
): boolean {
  const actual = BigInt(filter.propertyName === 'hs_object_id' ? deal.id : state.modifiedMs)
  const value = BigInt(filter.value ?? 0)
  if (filter.operator === 'GT') return actual > value
  return actual >= value && actual <= BigInt(filter.highValue ?? 0)
}

const standard = ['createdate', 'dealname', 'hs_lastmodifieddate', 'hs_object_id']

function toObject(deal: StandInDeal, state: State, wanted: string[]): object {
  const all: Record<string, string | null> = {
    createdate: new Date(deal.createdMs).toISOString(),
    ...state.properties,
    hs_lastmodifieddate: new Date(state.modifiedMs).toISOString(),
    hs_object_id: deal.id,
  }
  return {
    id: deal.id,
    properties: Object.fromEntries(
      [...new Set([...standard, ...wanted])].map((name) => [name, all[name] ?? null]),
    ),
    createdAt: new Date(deal.createdMs).toISOString(),
    updatedAt: new Date(state.modifiedMs).toISOString(),
    archived: deal.archived,
    ...(deal.archivedMs !== null && { archivedAt: new Date(deal.archivedMs).toISOString() }),
  }
}

/** Returns a deal property in HubSpot's format. */
export function property(
  name: string,
  label: string,
  type: string,
  fieldType: string,
  options: [string, string][] = [],
) {
  return { name, label, type, fieldType, options: options.map(([value, text]) => ({ value, label: text })) }
}

const refusal = (message: string, category = 'INTERNAL_ERROR') => ({
  status: 'error',
  message,
  correlationId: '00000000-0000-0000-0000-000000000000',
  category,
})

const badRequest = (message: string): [number, unknown] => [400, refusal(message, 'VALIDATION_ERROR')]

function send(response: ServerResponse, status: number, body: object | string, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
