import { createHash } from 'node:crypto'
import { parseInt64 } from '../../protocol/int64.ts'
import { dealFields, personFields } from '../deal.ts'
import { type Mapping, type SourceColumn, rejectedTitles } from './record-source.ts'

/** The fields that a column can be read as: those of a deal, `partner`, and those of people, such as `owner.name`. */
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
// What people and other systems call them.
for (const [field, names] of Object.entries({
  id: 'dealid recordid crmid opportunityid projectid',
  dealname: 'name dealtitle opportunityname projectname',
  streetAddress: 'address street address1 siteaddress installaddress',
  zipCode: 'zip postalcode zippostalcode',
  primaryPhone: 'phone phonenumber mobile',
  firstName: 'homeownerfirstname customerfirstname',
  lastName: 'homeownerlastname customerlastname',
  stage: 'dealstage status currentstage',
  amount: 'dealamount contractamount contractprice totalprice contractvalue',
  systemSize: 'size systemsizekw kw systemkw',
  battery: 'batteryname batterytype',
  inverterType: 'inverter',
  moduleType: 'module panel paneltype',
  numberOfModules: 'modules panels panelcount modulecount',
  utilityName: 'utility utilitycompany',
  lastModified: 'lastmodifieddate modified updated lastupdated',
  createDate: 'created createddate datecreated',
  closerName: 'closer',
  setterName: 'setter',
  dealer: 'dealername',
  permitSubmitted: 'permitsubmitteddate permitsubmissiondate',
  permitReceived: 'permitreceiveddate permitapproved permitapproveddate',
  installComplete: 'installcompleteddate installdate installationdate',
  installedScheduled: 'installscheduled installscheduleddate',
  'owner.email': 'salesrepemail repemail dealowneremail',
  'owner.name': 'owner salesrep salesrepname dealowner rep',
  'projectManager.email': 'pmemail',
  'projectManager.name': 'projectmanager pm pmname',
  partner: 'partnerslug',
}))
  for (const name of names.split(' ')) if (!byName.has(name)) byName.set(name, field)

/** Kinds of values that tell a field by themselves, if all examples are such. */
const byContent: [field: string, isSuch: (text: string) => boolean][] = [
  ['id', (text) => /^\d{6,19}$/.test(text) && parseInt64(text) !== null],
  ['coordinates', (text) => /^-?\d{1,3}\.\d{3,20}, ?-?\d{1,3}\.\d{3,20}$/.test(text)],
  ['state', (text) => /^[A-Z]{2}$/.test(text)],
  ['proposalLink', (text) => /^https?:\/\//.test(text)],
]

/** Suggests fields for the columns whose titles are not those of fields, by their titles and by what they hold. */
export function suggestMapping(columns: SourceColumn[]): Mapping {
  const known = new Set(columnFields)
  const taken = new Set(columns.flatMap(({ title }) => (known.has(title) && !isPerson(title) ? [title] : [])))
  const mapping: Mapping = Object.create(null) as Mapping
  const suggest = (title: string, field: string | undefined) => {
    if (field === undefined || taken.has(field)) return
    taken.add(field)
    mapping[title] = field
  }
  const open = () => columns.filter(({ title }) => !taken.has(title) && !Object.hasOwn(mapping, title))
  for (const { title } of open()) suggest(title, byName.get(plain(title)))
  for (const [field, isSuch] of byContent) {
    const column = open().find(({ examples }) => examples.length > 0 && examples.every(isSuch))
    if (column !== undefined) suggest(column.title, field)
  }
  return { ...mapping }
}

// A person is more than one cell.
const isPerson = (title: string) =>
  Object.hasOwn(dealFields, title) && dealFields[title as keyof typeof dealFields].kind === 'person'

/** Returns the titles of a file without those that are added to rejected rows. */
export const ownTitles = (titles: string[]) =>
  rejectedTitles.every((title, index) => titles[index] === title)
    ? titles.slice(rejectedTitles.length)
    : titles

/** Returns what the mapping of files with these titles, in any order, is remembered by. */
export const headerKey = (titles: string[]) =>
  createHash('sha256').update(JSON.stringify(titles.toSorted())).digest('hex')

/** Returns what is wrong with a mapping of columns with these titles, or null. */
export function mappingProblem(titles: string[], mapping: Mapping): string | null {
  const targets = titles.map((title) => (Object.hasOwn(mapping, title) ? mapping[title]! : title))
  if (!targets.includes('id')) return 'No column is read as the ID of the deal.'
  const known = new Set(columnFields)
  const twice = targets.find((target, index) => known.has(target) && targets.indexOf(target) !== index)
  if (twice !== undefined) return `Two columns are read as ${twice}.`
  return null
}
