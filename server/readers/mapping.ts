import { createHash } from 'node:crypto'
import { isZone } from '../accounts/zone-choice.ts'
import { dealFields, personFields } from '../deals/deal.ts'
import { isFlag, readCell } from '../deals/import/cell.ts'
import type { Mapping, SourceColumn } from '../deals/import/record-source.ts'
import { milestoneDates } from '../deals/milestones/milestone.ts'
import { parseInt64 } from '../protocol/int64.ts'
import type { Zone } from '../protocol/zone.ts'

/** The fields that a column can map to: deal fields, `partner`, and people fields such as `owner.name`. */
export const columnFields: readonly string[] = [
  ...Object.entries(dealFields).flatMap(([name, { kind }]) =>
    kind === 'person' ? [...Object.keys(personFields), 'name'].map((inner) => `${name}.${inner}`) : [name],
  ),
  'partner',
]

const plain = (text: string) =>
  text
    .slice(0, 100)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')

const byName = new Map<string, string>(columnFields.map((field) => [plain(field), field]))
for (const { field, fullLabel } of milestoneDates) addNames(field, [fullLabel])

// Names in the portal.
const roles: Record<string, string> = {
  owner: 'Account manager',
  projectManager: 'Project manager',
  permitCoordinator: 'Permit coordinator',
  ixCoordinator: 'Interconnection coordinator',
  postInstallEngineer: 'Post-install engineer',
  postInstallProjectManager: 'Post-install project manager',
}
for (const [role, label] of Object.entries(roles)) {
  addNames(`${role}.name`, [label, role])
  for (const inner of Object.keys(personFields)) addNames(`${role}.${inner}`, [`${label}: ${inner}`])
}

// Names used by people, this portal and other systems.
for (const [field, names] of Object.entries({
  id: 'dealid recordid crmid opportunityid projectid',
  dealname: 'deal name dealtitle opportunityname projectname',
  streetAddress: 'address street address1 siteaddress installaddress',
  zipCode: 'zip postalcode zippostalcode',
  primaryPhone: 'phone phonenumber mobile',
  firstName: 'homeownerfirstname customerfirstname',
  lastName: 'homeownerlastname customerlastname',
  stage: 'dealstage status currentstage',
  amount: 'dealamount contractamount contractprice totalprice contractvalue',
  systemSize: 'system size systemsizekw kw systemkw',
  battery: 'batteryname batterytype',
  inverterType: 'inverter inverters',
  numberOfBatteries: 'batteries batterycount',
  numberOfInverters: 'invertercount',
  moduleType: 'module modules panel paneltype',
  numberOfModules: 'panels panelcount modulecount',
  roofType: 'roof',
  nameOnUb: 'nameonutilitybill',
  adderPpw: 'adderperwatt addersperwatt',
  totalPpw: 'totalpriceperwatt ppw',
  basePpw: 'basepriceperwatt',
  proposalLink: 'proposal',
  designToolAProjectId: 'designtoolaproject',
  designToolBProjectId: 'designtoolbproject',
  designToolCProjectId: 'designtoolcproject',
  timeInCurrentStage: 'instage instagesince',
  hasBattery: 'hasabattery',
  hasHoa: 'hasanhoa',
  installCompleted: 'installed',
  hasOutstandingItems: 'outstandingitems',
  hasChangesToAdders: 'adderschanged',
  scopeOfWorkPacket: 'scopeofworkpacketcompleted',
  hoaName: 'hoa',
  hoaNumber: 'hoaphone',
  notesLastUpdated: 'notesupdated',
  notesNextActivityDate: 'nextactivity',
  inspectionResults: 'inspectionresult',
  reInspectionResults: 'reinspectionresult',
  hicAgreement: 'agreementfile',
  utilityName: 'utility utilitycompany',
  lastModified: 'lastmodifieddate modified updated lastupdated',
  createDate: 'created createddate datecreated',
  closerName: 'closer',
  setterName: 'setter',
  dealer: 'dealername',
  permitSubmitted: 'permitsubmitteddate permitsubmissiondate',
  permitReceived: 'permitreceiveddate permitapproved permitapproveddate',
  installComplete: 'installcompleteddate',
  installedScheduled: 'installscheduled installscheduleddate',
  'owner.email': 'dealowneremail',
  'owner.name': 'owner dealowner',
  'projectManager.email': 'pmemail',
  'projectManager.name': 'projectmanager pm pmname',
  partner: 'partnerslug',
}))
  addNames(field, names.split(' '))

function addNames(field: string, names: string[]): void {
  for (const name of names.map(plain)) if (!byName.has(name)) byName.set(name, field)
}

/** Ambiguous titles and their possible fields, likeliest first. */
const severalMeanings = new Map<string, readonly string[]>(
  Object.entries({
    'installdate installationdate': ['installComplete', 'installedScheduled'],
    'rep salesrep salesrepname': ['closerName', 'owner.name'],
    // A closer has no e-mail address.
    'repemail salesrepemail': ['', 'owner.email'],
  }).flatMap(([names, fields]) => names.split(' ').map((name) => [name, fields] as const)),
)

/** Returns the possible fields of an ambiguous title. */
const meaningsOf = (title: string) => severalMeanings.get(plain(zoneOfTitle(title).title))

const titleInZone = /^(.{1,100}) \(([A-Za-z0-9_+\-/]{1,60})\)$/

/** Returns a title without the zone of its times: `Updated (America/Phoenix)`, as in portal exports. */
export function zoneOfTitle(title: string): { title: string; zone: Zone | null } {
  const [, bare, zone] = titleInZone.exec(title) ?? []
  return bare !== undefined && isZone(zone!) ? { title: bare, zone: zone as Zone } : { title, zone: null }
}

/** Returns the field that a title stands for, by field name or common name. */
export function fieldOfTitle(title: string): string | undefined {
  const bare = plain(zoneOfTitle(title).title)
  return bare === '' ? undefined : (byName.get(bare) ?? severalMeanings.get(bare)?.at(-1))
}

/** Alternative fields of a title by column content: yes/no, a count, or a date. */
const otherwise: Record<string, { flag?: string; count?: string; time?: string }> = {
  battery: { flag: 'hasBattery', count: 'numberOfBatteries' },
  hoaName: { flag: 'hasHoa' },
  inverterType: { count: 'numberOfInverters' },
  moduleType: { count: 'numberOfModules' },
  installCompleted: { time: 'installComplete' },
}

/** Returns whether a text begins with a date. */
export const isDated = (text: string) => /^\d{1,4}[-/]\d{1,2}[-/]\d/.test(text)
const isCount = (text: string) => /^\d{1,4}$/.test(text)

/** Value patterns that identify a field, if all examples match. */
const byContent: [field: string, isSuch: (text: string) => boolean][] = [
  ['id', (text) => /^\d{6,19}$/.test(text) && parseInt64(text) !== null],
  ['coordinates', (text) => /^-?\d{1,3}\.\d{3,20}, ?-?\d{1,3}\.\d{3,20}$/.test(text)],
  ['state', (text) => /^[A-Z]{2}$/.test(text)],
  ['proposalLink', (text) => /^https?:\/\//.test(text)],
]

/** Suggests fields for unknown column titles, by title and content. */
export function suggestMapping(columns: SourceColumn[]): Mapping {
  const suggestion = new Suggestion(columns)
  for (const { title, examples } of suggestion.open()) suggestion.add(title, readAs(title, examples))
  for (const [field, isSuch] of byContent) {
    const column = suggestion.open().find(({ examples }) => examples.length > 0 && examples.every(isSuch))
    if (column !== undefined) suggestion.add(column.title, field)
  }
  return { ...suggestion.mapping }
}

/** Suggests fields by title alone, for unattended imports. */
export function mappingOfTitles(columns: SourceColumn[]): Mapping {
  const suggestion = new Suggestion(columns)
  for (const { title, examples } of suggestion.open()) suggestion.add(title, readAs(title, examples))
  return { ...suggestion.mapping }
}

/** Returns the field of a column, by its title and by whether it contains yes/no, counts or dates. */
function readAs(title: string, examples: string[]): string | undefined {
  if (meaningsOf(title) !== undefined) return undefined
  const field = fieldOfTitle(title)
  const { flag, count, time } = otherwise[field ?? ''] ?? {}
  if (time !== undefined && zoneOfTitle(title).zone !== null) return time
  if (examples.length === 0) return field
  if (time !== undefined && examples.every(isDated)) return time
  if (examples.every(isFlag)) return flag ?? field
  return examples.every(isCount) ? (count ?? field) : field
}

/** A column that is ignored until a field is chosen; the candidates, likeliest first. */
export interface OpenColumn {
  title: string
  fields: string[]
}

/**
 * Returns the mapping completed from the dates of ambiguous columns, and the undecided columns: an install
 * date is scheduled if all its dates are in the future, and more likely so if some are.
 */
export function completeMapping(
  columns: readonly SourceColumn[],
  mapping: Mapping,
  { today, dayFirst }: { today: string; dayFirst: boolean },
): { mapping: Mapping; open: OpenColumn[] } {
  const complete = Object.assign(Object.create(null) as Mapping, mapping)
  const open: OpenColumn[] = []
  for (const { title, dates } of columns) {
    const meanings = meaningsOf(title)
    if (meanings === undefined || Object.hasOwn(mapping, title)) continue
    const taken = new Set([...Object.values(complete), ...columns.map((column) => column.title)])
    const fields = meanings.filter((field) => field === '' || !taken.has(field))
    const days = dates.map((date) => String(readCell('time', date, { dayFirst })).slice(0, 10))
    const ahead = days.filter((day) => day >= today).length
    const isSchedule = fields.includes('installedScheduled')
    const isAhead = isSchedule && ahead > 0 && ahead === days.length
    complete[title] = isAhead ? 'installedScheduled' : ''
    if (!isAhead && fields.some((field) => field !== ''))
      open.push({ title, fields: isSchedule && ahead > 0 ? fields.toReversed() : fields })
  }
  return { mapping: { ...complete }, open }
}

/** Suggested fields for columns, each at most once. */
class Suggestion {
  readonly mapping: Mapping = Object.create(null) as Mapping
  readonly #columns: SourceColumn[]
  readonly #taken: Set<string>

  constructor(columns: SourceColumn[]) {
    this.#columns = columns
    for (const { title, hidden } of columns) if (hidden) this.mapping[title] = ''
    this.#taken = new Set(
      columns.flatMap(({ title, hidden }) =>
        known.has(title) && !isPerson(title) && !hidden ? [title] : [],
      ),
    )
  }

  /** Returns the columns without a field so far. */
  open(): SourceColumn[] {
    return this.#columns.filter(({ title }) => !this.#taken.has(title) && !Object.hasOwn(this.mapping, title))
  }

  add(title: string, field: string | undefined): void {
    if (field === undefined || this.#taken.has(field)) return
    this.#taken.add(field)
    this.mapping[title] = field
  }
}

const known = new Set(columnFields)

// A person has more than one cell.
const isPerson = (title: string) =>
  Object.hasOwn(dealFields, title) && dealFields[title as keyof typeof dealFields].kind === 'person'

/** Returns the key of a remembered mapping: the titles in any order, and which ones are hidden. */
export function headerKey(columns: Pick<SourceColumn, 'title' | 'hidden'>[]): string {
  const titles = columns.map(({ title, hidden }) => (hidden ? `${title} (hidden)` : title))
  return createHash('sha256').update(JSON.stringify(titles.toSorted())).digest('hex')
}

/** Returns the mapping's problem for columns with these titles, or null. */
export function mappingProblem(titles: string[], mapping: Mapping): string | null {
  const targets = titles.map((title) => (Object.hasOwn(mapping, title) ? mapping[title]! : title))
  if (!targets.includes('id')) return 'No column is read as the ID of the deal.'
  const twice = targets.find((target, index) => known.has(target) && targets.indexOf(target) !== index)
  if (twice !== undefined) return `Two columns are read as ${twice}.`
  return null
}
