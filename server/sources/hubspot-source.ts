import type { Readable } from 'node:stream'
import { readerOf } from '../values/value.ts'
import {
  type CrmDirectory,
  type CrmFile,
  type CrmPage,
  type CrmRecord,
  type CrmSource,
  type FileOfDeal,
  NotFoundError,
  SourceError,
} from './crm-source.ts'
import type { HubspotFetch } from './hubspot-fetch.ts'
import {
  type Currencies,
  currencyProperties,
  inHomeCurrency,
  BatchErrors,
  HubspotAccount,
  HubspotAssociations,
  HubspotFile,
  type HubspotObject,
  HubspotObjects,
  type HubspotOwner,
  HubspotOwners,
  HubspotPipelines,
  HubspotProperties,
  HubspotSignedUrl,
  isMoney,
  namedTeamsOf,
  toFile,
  toPerson,
  toProperty,
  toStages,
} from './hubspot-objects.ts'
import { fileIdsIn } from './named-files.ts'

const deals = '/crm/v3/objects/deals'
const files = '/files/v3/files'
const notesOfDeals = '/crm/v4/associations/deals/notes/batch/read'

// Page size that HubSpot allows for searches.
const searchPage = 200
const listPage = 100
const batchPage = 100
const associationsPage = 1000
const recentCount = 100
const ownersPage = 500

/**
 * Maximum length of property names in a URL. Some proxies reject longer URLs with status 414, so longer lists
 * are sent in a body.
 */
const namesMax = 4000

interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false }
}

export class HubspotSource implements CrmSource {
  readonly pageSize = searchPage
  readonly #fetch: HubspotFetch
  /** Null if the deals of the account have no currencies. */
  #currencies: Currencies | null = null

  constructor(fetch: HubspotFetch) {
    this.#fetch = fetch
  }

  nowMs(): number {
    return this.#fetch.nowMs()
  }

  async close(): Promise<void> {}

  async readDirectory(): Promise<CrmDirectory> {
    const { results } = await this.#read(HubspotProperties, 'GET', '/crm/v3/properties/deals')
    const pipelines = await this.#read(HubspotPipelines, 'GET', '/crm/v3/pipelines/deals')
    const owners = [...(await this.#readOwners(true)), ...(await this.#readOwners(false))]
    const hasCurrencies = results.some(({ name }) => name === 'deal_currency_code')
    const money = new Set(results.filter(isMoney).map(({ name }) => name))
    this.#currencies = hasCurrencies ? { home: await this.#readHomeCurrency(), money } : null
    return {
      properties: new Map(results.map((property) => [property.name, toProperty(property)])),
      people: new Map(owners.map((owner) => [owner.id, toPerson(owner)])),
      teams: new Map(owners.flatMap((owner) => namedTeamsOf(owner).map(({ id, name }) => [id, name]))),
      stages: toStages(pipelines.results),
    }
  }

  /**
   * Returns the company's currency, or null if HubSpot does not return it, for example if the token lacks the
   * scope.
   */
  async #readHomeCurrency(): Promise<string | null> {
    try {
      const account = await this.#fetch.call('GET', '/account-info/v3/details')
      return HubspotAccount.safeParse(account).data?.companyCurrency ?? null
    } catch (error) {
      // After a temporary failure, returning null would treat amounts in another currency as dollars.
      if (error instanceof SourceError && error.retryAfterMs === null) return null
      throw error
    }
  }

  async readChanges(
    { fromMs, toMs }: { fromMs: number; toMs: number },
    afterId: bigint,
    properties: readonly string[],
  ): Promise<CrmPage> {
    // Sorts by id and continues after the last id, so records with the same modification time cannot cause
    // loops or get lost. HubSpot's `after`, which is limited to 10,000, is not used. Records modified while
    // reading belong to the next window.
    const [value, highValue] = [String(fromMs), String(toMs)]
    const filters = [
      { propertyName: 'hs_lastmodifieddate', operator: 'BETWEEN', value, highValue },
      { propertyName: 'hs_object_id', operator: 'GT', value: String(afterId < 0n ? 0n : afterId) },
    ]
    const sort = { propertyName: 'hs_object_id', direction: 'ASCENDING' }
    return this.#search(properties, { filterGroups: [{ filters }], sorts: [sort], limit: searchPage })
  }

  async readRecent(properties: readonly string[]): Promise<CrmRecord[]> {
    const sort = { propertyName: 'hs_lastmodifieddate', direction: 'DESCENDING' }
    return (await this.#search(properties, { filterGroups: [], sorts: [sort], limit: recentCount })).records
  }

  async #search(properties: readonly string[], query: object): Promise<CrmPage> {
    const body = { ...query, properties: this.#withOwn(properties) }
    const page = await this.#read(HubspotObjects, 'POST', `${deals}/search`, body)
    return { records: page.results.map((found) => this.#toRecord(found)), total: page.total ?? null }
  }

  async readAll(after: string, properties: readonly string[]) {
    const names = encodeURIComponent(this.#withOwn(properties).join(','))
    const isLong = names.length > namesMax
    const { results, next } = await this.#list(after, false, isLong ? 'hs_object_id' : names)
    const ids = results.map(({ id }) => BigInt(id))
    const records = isLong
      ? await this.readRecords(ids, properties)
      : results.map((found) => this.#toRecord(found))
    return { records, next }
  }

  async #list(after: string, archived: boolean, names: string) {
    const from = after === '' ? '' : `&after=${encodeURIComponent(after)}`
    const path = `${deals}?limit=${listPage}&archived=${archived}&properties=${names}${from}`
    const { results, paging } = await this.#read(HubspotObjects, 'GET', path)
    return { results, next: paging?.next?.after ?? null }
  }

  async readRecords(ids: readonly bigint[], properties: readonly string[]): Promise<CrmRecord[]> {
    const records: CrmRecord[] = []
    for (let at = 0; at < ids.length; at += batchPage) {
      const inputs = ids.slice(at, at + batchPage).map((id) => ({ id: String(id) }))
      const results = await this.#readBatch('deals', inputs, this.#withOwn(properties))
      records.push(
        ...results.filter(({ archived }) => archived !== true).map((found) => this.#toRecord(found)),
      )
    }
    return records
  }

  async readArchived(after: string) {
    const { results, next } = await this.#list(after, true, 'hs_object_id')
    return { ids: results.map(({ id }) => id), next }
  }

  async readAttachments(ids: readonly string[]): Promise<FileOfDeal[]> {
    const dealsOf = await this.#readNotesOf(ids)
    const notes = [...dealsOf.keys()]
    const found: FileOfDeal[] = []
    for (let at = 0; at < notes.length; at += batchPage) {
      const inputs = notes.slice(at, at + batchPage).map((id) => ({ id }))
      for (const { id, properties } of await this.#readBatch('notes', inputs, ['hs_attachment_ids']))
        for (const fileId of fileIdsIn(properties['hs_attachment_ids']))
          found.push(...dealsOf.get(id)!.map((dealId) => ({ dealId, fileId })))
    }
    return found
  }

  async readFile(id: string): Promise<CrmFile | null> {
    const file = await this.#readIfThere(HubspotFile, `${files}/${id}`)
    return file === null || file.archived === true ? null : toFile(id, file)
  }

  async signFile(id: string) {
    const signed = await this.#readIfThere(HubspotSignedUrl, `${files}/${id}/signed-url`)
    return signed && { url: signed.url, expiresAt: new Date(signed.expiresAt) }
  }

  openFile(url: string): Promise<Readable> {
    return this.#fetch.open(url)
  }

  async #readNotesOf(ids: readonly string[]): Promise<Map<string, string[]>> {
    const dealsOf = new Map<string, string[]>()
    const inputs: { id: string; after?: string }[] = ids.map((id) => ({ id }))
    while (inputs.length > 0) {
      const batch = inputs.splice(0, associationsPage)
      const page = await this.#read(HubspotAssociations, 'POST', notesOfDeals, { inputs: batch })
      for (const { from, to, paging } of page.results) {
        for (const { toObjectId } of to)
          dealsOf.set(toObjectId, [...(dealsOf.get(toObjectId) ?? []), from.id])
        // A deal may have more notes than HubSpot returns in one response.
        if (paging?.next !== undefined) inputs.push({ id: from.id, after: paging.next.after })
      }
    }
    return dealsOf
  }

  async #readBatch(kind: 'deals' | 'notes', inputs: { id: string }[], properties: string[]) {
    const path = `/crm/v3/objects/${kind}/batch/read?archived=false`
    // For some accounts, HubSpot responds with 404 if none of the requested records exist.
    return (await this.#readIfThere(HubspotObjects, path, { properties, inputs }))?.results ?? []
  }

  async #readIfThere<T>(schema: Schema<T>, path: string, body?: object): Promise<T | null> {
    try {
      return await this.#read(schema, body === undefined ? 'GET' : 'POST', path, body)
    } catch (error) {
      if (error instanceof NotFoundError) return null
      throw error
    }
  }

  async #readOwners(archived: boolean): Promise<HubspotOwner[]> {
    const owners: HubspotOwner[] = []
    for (let after: string | undefined; ;) {
      const from = after === undefined ? '' : `&after=${encodeURIComponent(after)}`
      const path = `/crm/v3/owners?limit=${ownersPage}&archived=${archived}${from}`
      const page = await this.#read(HubspotOwners, 'GET', path)
      owners.push(...page.results)
      after = page.paging?.next?.after
      if (after === undefined) return owners
    }
  }

  async #read<T>(schema: Schema<T>, method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
    const answer = await this.#fetch.call(method, path, body)
    // Records that HubSpot failed to read must not count as removed.
    const failed = BatchErrors.safeParse(answer).data
    if (failed !== undefined)
      throw new SourceError(`HubSpot could not read all records: ${failed.message ?? failed.category}.`, 0)
    const parsed = schema.safeParse(answer)
    if (!parsed.success)
      throw new SourceError(`HubSpot's response to ${path.split('?')[0]} has an unexpected form.`)
    return parsed.data
  }

  /** Returns the properties to request. HubSpot ignores unknown properties. */
  #withOwn(properties: readonly string[]): string[] {
    if (properties.length === 0) return ['hs_lastmodifieddate']
    const own = [
      'hs_lastmodifieddate',
      mergedProperty,
      ...(this.#currencies === null ? [] : currencyProperties),
    ]
    return [...new Set([...own, ...properties])]
  }

  #toRecord({ id, updatedAt, properties }: HubspotObject): CrmRecord {
    return {
      id,
      // Windows are based on the property, not on the record's own time.
      modifiedMs: msOf(properties['hs_lastmodifieddate']) ?? msOf(updatedAt) ?? 0,
      mergedIds: (properties[mergedProperty] ?? '').split(';').filter((merged) => merged !== ''),
      ...(this.#currencies === null ? { values: properties } : inHomeCurrency(properties, this.#currencies)),
    }
  }
}

const readTime = readerOf('time')

function msOf(value: string | null | undefined): number | null {
  const time = readTime(value ?? '')
  return typeof time === 'string' ? Date.parse(time) : null
}

const mergedProperty = 'hs_merged_object_ids'
