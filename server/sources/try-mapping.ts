import type { Database } from '#db/client.ts'
import { listPartners } from '../accounts/store.ts'
import type { DealWrite } from '../deals/change.ts'
import { prepareWrites } from '../deals/deal-writer.ts'
import type { DealField } from '../deals/deal.ts'
import { type FieldChanges, FieldTally } from '../records/tally.ts'
import { placeStages } from '../stages/order.ts'
import { type StageMatcher, type NewStage, likeliest } from '../stages/spelling.ts'
import {
  type StageKind,
  classifyStage,
  isOnHold,
  isMoving,
  type Stage,
  compareStages,
} from '../stages/stage.ts'
import { makeStageMatcher, readAllStages } from '../stages/store.ts'
import { ellipsize, textMax } from '../values/short-text.ts'
import { type Zone, utc } from '../values/zone.ts'
import type { CrmStage, CrmDirectory, CrmRecord, CrmSource } from './crm-source.ts'
import { readDeal, dealIdsOf, makePage, partnerValueOf } from './make-page.ts'
import { propertiesByField } from './mapped-fields.ts'
import { type SourceSettings, propertiesOf } from './mapping.ts'
import { type Reject, readKnownDeals } from './page-store.ts'
import { trialRejectsShown } from './policy.ts'
import { type RecordReader, makeRecordReader } from './read-record.ts'
import { readPartnerValues } from './store.ts'

export interface TrialResult {
  read: number
  created: number
  updated: number
  unchanged: number
  rejected: number
  /** Number of records that would be written without some values, because these cannot be read. */
  unreadable: number
  rejects: Pick<Reject, 'id' | 'name' | 'reason' | 'isWritten'>[]
  /** Changed fields, most frequent first, with up to ten examples per field. */
  fields: FieldChanges[]
  filled: { field: DealField | 'partner'; property: string; count: number }[]
  stages: PlannedStage[]
  /** Values that identify partners, most frequent first. An empty value stands for records without one. */
  values: { value: string; deals: number }[]
  otherValues: number
}

export interface TrialDeps {
  db: Database
  crm: CrmSource
  sourceId: number
  settings: SourceSettings
  directory: CrmDirectory
}

/**
 * Computes what a mapping would change, without writing deals. Calls `eachPage` with the number of records
 * read; if it returns false, the trial ends without a result.
 * @throws SourceError
 */
export async function runTrial(
  { db, crm, sourceId, settings, directory }: TrialDeps,
  eachPage: (read: number) => Promise<boolean>,
): Promise<TrialResult | undefined> {
  const slugs = new Map<number, string>((await listPartners(db)).map(({ id, slug }) => [id, slug]))
  const partners = new Map(
    (await readPartnerValues(db, sourceId)).map(({ value, partnerId }) => [value, partnerId]),
  )
  const known = await readAllStages(db)
  const stages = await makeStageMatcher(db)
  const described = describedOf(directory.stages, stages)
  const reader = makeRecordReader(settings, directory)
  const deps = { sourceId, settings, reader, partners, stages, nowMs: crm.nowMs() }
  const properties = [...new Set(['dealname', ...propertiesOf(settings)])].filter((name) =>
    directory.properties.has(name),
  )
  const tally = new FieldTally()
  const look = new TrialRun(settings, directory)
  const result: TrialCounts = {
    read: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    rejected: 0,
    unreadable: 0,
    rejects: [],
  }
  for (let after: string | null = ''; after !== null;) {
    const page = await crm.readAll(after, properties)
    const made = makePage(deps, page.records, await readKnownDeals(db, dealIdsOf(page.records)))
    const prepared = await prepareWrites(db, made.writes, {
      dryRun: true,
      changed: (_, change) => tally.addChange(change, (id) => slugs.get(id) ?? String(id)),
    })
    const count = (wanted: string) => prepared.filter(({ outcome }) => outcome === wanted).length
    result.read += page.records.length
    result.created += count('created')
    result.updated += count('updated')
    const unreadable = made.rejects.filter(({ isWritten }) => isWritten).length
    result.unreadable += unreadable
    result.rejected += made.rejects.length - unreadable + count('too long')
    result.rejects.push(...made.rejects.slice(0, trialRejectsShown - result.rejects.length))
    look.add(page.records, made, (record) => partnerValueOf(deps, record) ?? '')
    if (!(await eachPage(result.read))) return undefined
    after = page.next
  }
  result.unchanged = result.read - result.created - result.updated - result.rejected
  return { ...result, fields: tally.fields(), ...look.found(known, described) }
}

type TrialCounts = Omit<TrialResult, 'fields' | keyof ReturnType<TrialRun['found']>>

class TrialRun {
  readonly #mapped: [DealField | 'partner', string][]
  readonly #filled = new Map<string, number>()
  readonly #stages = new Map<string, number>()
  readonly #values = new Map<string, number>()

  constructor(settings: SourceSettings, { properties }: CrmDirectory) {
    this.#mapped = (Object.entries(propertiesByField(settings)) as [DealField | 'partner', string][]).filter(
      ([, property]) => properties.has(property),
    )
  }

  add(
    records: readonly CrmRecord[],
    { writes }: { writes: readonly DealWrite[] },
    partnerOf: (record: CrmRecord) => string,
  ): void {
    for (const record of records) {
      for (const [field, property] of this.#mapped)
        if ((record.values[property] ?? '').trim() !== '') countUp(this.#filled, field)
      countUp(this.#values, partnerOf(record))
    }
    for (const { record } of writes) if (record.stage) countUp(this.#stages, record.stage)
  }

  found(known: readonly Stage[], described: ReturnType<typeof describedOf>) {
    const values = [...this.#values].map(([value, deals]) => ({ value: ellipsize(value, valueMax), deals }))
    return {
      filled: this.#mapped.map(([field, property]) => ({
        field,
        property,
        count: this.#filled.get(field) ?? 0,
      })),
      stages: planStages(known, described, this.#stages).slice(0, shownMax),
      values: values.toSorted((a, b) => b.deals - a.deals).slice(0, shownMax),
      otherValues: Math.max(0, values.length - shownMax),
    }
  }
}

// Maximum number of stages and partner values shown, and of distinct values counted.
const shownMax = 200
const countedMax = 50_000
const valueMax = 1000

function countUp(counts: Map<string, number>, name: string): void {
  const count = counts.get(name)
  if (count !== undefined || counts.size < countedMax) counts.set(name, (count ?? 0) + 1)
}

/** How well the values of a property fit a field. */
export interface Fit {
  /** Number of sampled records, and of sampled records with a value. */
  records: number
  filled: number
  /** Distinct values as in the source and as shown in the field, or null if the value does not fit. */
  examples: { value: string; becomes: string | null }[]
  misfits: number
  /** Reason why the first example that does not fit was rejected. */
  reason: string | null
}

const examplesMax = 3

/** Id fields that are shown by the label of another field: stages and pipelines. */
const shownAs: Partial<Record<DealField, DealField>> = { stageId: 'stage', pipelineId: 'pipeline' }

/**
 * Rates how well a property's values fit a field. `partner` accepts any text. Values that do not fit come
 * first.
 */
export function fitOf(
  field: DealField | 'partner',
  property: string,
  records: readonly CrmRecord[],
  directory: CrmDirectory,
  zone: Zone = utc,
): Fit {
  const fit: Fit = { records: records.length, filled: 0, examples: [], misfits: 0, reason: null }
  const good = new Map<string, string | null>()
  const isPartner = field === 'partner'
  const reader = makeRecordReader(
    {
      mapping: isPartner ? {} : { [field]: property },
      partnerProperty: isPartner ? property : null,
      query: null,
      files: null,
      zone,
    },
    directory,
  )
  const bad = new Map<string, null>()
  for (const record of records) {
    const value = record.values[property] ?? ''
    if (value.trim() === '') continue
    fit.filled++
    const read = isPartner
      ? { becomes: reader.partnerOf(record)?.label ?? value }
      : readValue(field, value, record, reader)
    if ('reason' in read) {
      fit.misfits++
      fit.reason ??= read.reason
      bad.set(value, null)
    } else good.set(value, read.becomes)
  }
  fit.examples = [...bad, ...good].slice(0, examplesMax).map(([value, becomes]) => ({
    value: ellipsize(value, textMax),
    becomes: becomes === null ? null : ellipsize(becomes, textMax),
  }))
  return fit
}

function readValue(
  field: DealField,
  value: string,
  record: CrmRecord,
  reader: RecordReader,
): { becomes: string } | { reason: string } {
  const read = readDeal(reader, { ...record, id: '1', modifiedMs: 0 })
  const [fault] = 'faults' in read ? read.faults : read.unreadable
  if ('faults' in read || fault !== undefined) return { reason: fault!.reason }
  return { becomes: wordsOf(read.deal[shownAs[field] ?? field]) || value }
}

/** Returns a value as text. A person is represented by name. */
function wordsOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '')
  const { id, firstName, lastName, email } = value as Record<string, unknown>
  return [firstName, lastName].filter(Boolean).join(' ') || String(email ?? id)
}

export interface PlannedStage {
  name: string
  deals: number
  /** Set for a new stage, with similar existing stages, most likely first. */
  added?: Pick<NewStage, 'likely'> & {
    /**
     * The preceding stage of the same kind, null if the stage is the first, or undefined if its deals decide.
     */
    after?: string | null
  }
}

/**
 * Returns the stages that a source's deals would get. Stages described by the source come first, in order.
 * `deals` has the number of deals by local stage name.
 */
export function planStages(
  here: readonly Pick<Stage, 'name' | 'kind' | 'order'>[],
  described: ReturnType<typeof describedOf>,
  deals: ReadonlyMap<string, number>,
): PlannedStage[] {
  const fresh = new Map(described.toReversed().map((stage) => [stage.name, stage]))
  // A connected source provides the kinds of its stages.
  const known = here.map((stage) => ({ ...stage, kind: fresh.get(stage.name)?.kind ?? stage.kind }))
  const names = known.map(({ name }) => name)
  const isKnown = new Set(names)
  const orders = placeStages(known, described)
  const line = [...known, ...[...fresh.values()].filter(({ name }) => !isKnown.has(name))]
    .map((stage) => ({ ...stage, order: orders.get(stage.name)! }))
    .toSorted(compareStages)
  const afterOf = (name: string) => {
    const at = line.findIndex((stage) => stage.name === name)
    if (at === -1) return {}
    return { after: line[at - 1]?.kind === line[at]!.kind ? line[at - 1]!.name : null }
  }
  return [...new Set([...described.map(({ name }) => name), ...deals.keys()])].map((name) => ({
    name,
    deals: deals.get(name) ?? 0,
    ...(!isKnown.has(name) && { added: { likely: likeliest(name, names).likely, ...afterOf(name) } }),
  }))
}

/**
 * Returns the stage descriptions from all pipelines under local names. The first pipeline takes precedence. A
 * stage that is open in the CRM may be on hold according to its name.
 */
export function describedOf(stages: readonly CrmStage[], names: Pick<StageMatcher, 'match'>) {
  const firsts = new Map<string, { kind: StageKind; probability: number | null }>()
  return stages.map(({ stage, kind, order, probability, pipelineId: pipeline }) => {
    const { name } = names.match(stage)
    const byWords = classifyStage(stage).kind
    const first = firsts.get(name) ?? {
      kind: isMoving(kind) && isOnHold(byWords) ? byWords : kind,
      probability,
    }
    firsts.set(name, first)
    return { name, order, pipeline, ...first }
  })
}
