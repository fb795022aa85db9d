import type { Format } from '#app/ui/format.ts'
import type { FlagField, RoleField, TimeField } from '#server/deals/columns.ts'
import type { DealField, Person, dealFields } from '#server/deals/deal.ts'
import { isChangeable } from '#server/deals/event.ts'
import { milestoneDates } from '#server/deals/milestone.ts'

interface Labelled<Kind> {
  label: string
  /** The type in the REST API, repeated because browsers do not load the server's table. */
  kind: Kind
}

type Labels = { readonly [Name in DealField]: Labelled<(typeof dealFields)[Name]['kind']> }

const int64 = (label: string) => ({ label, kind: 'int64' }) as const
const text = (label: string) => ({ label, kind: 'text' }) as const
const double = (label: string) => ({ label, kind: 'double' }) as const
const money = (label: string) => ({ label, kind: 'money' }) as const
const flag = (label: string) => ({ label, kind: 'flag' }) as const
const time = (label: string) => ({ label, kind: 'time' }) as const
const person = (label: string) => ({ label, kind: 'person' }) as const

const groupsBefore = {
  Deal: {
    dealname: text('Deal'),
    stage: text('Stage'),
    timeInCurrentStage: time('In stage'),
    pipeline: text('Pipeline'),
    lastModified: time('Last modified'),
    createDate: time('Created'),
    dealer: text('Dealer'),
    id: int64('Deal ID'),
    stageId: text('Stage ID'),
    pipelineId: text('Pipeline ID'),
  },
  Homeowner: {
    firstName: text('First name'),
    lastName: text('Last name'),
    streetAddress: text('Street address'),
    city: text('City'),
    state: text('State'),
    zipCode: text('ZIP code'),
    primaryPhone: text('Phone'),
    utilityName: text('Utility'),
    nameOnUb: text('Name on utility bill'),
    coordinates: text('Coordinates'),
  },
  Money: {
    amount: money('Amount'),
    totalPpw: double('Total price per watt'),
    basePpw: double('Base price per watt'),
    adderPpw: text('Adders per watt'),
    adderCost: money('Adder cost'),
    adders: text('Adders'),
    lender: text('Lender'),
    loanAmount: text('Loan amount'),
  },
  System: {
    systemSize: text('System'),
    roofType: text('Roof'),
    moduleType: text('Modules'),
    numberOfModules: text('Number of modules'),
    inverterType: text('Inverters'),
    numberOfInverters: text('Number of inverters'),
    battery: text('Battery'),
    numberOfBatteries: text('Number of batteries'),
    proposalLink: text('Proposal'),
    designToolAProjectId: text('Design tool A project'),
    designToolBProjectId: text('Design tool B project'),
    designToolCProjectId: text('Design tool C project'),
  },
  People: {
    owner: person('Account manager'),
    closerName: text('Closer'),
    setterName: text('Setter'),
    projectManager: person('Project manager'),
    permitCoordinator: person('Permit coordinator'),
    ixCoordinator: person('Interconnection coordinator'),
    postInstallEngineer: person('Post-install engineer'),
    postInstallProjectManager: person('Post-install project manager'),
  },
} as const

const groupsAfter = {
  Flags: {
    hasBattery: flag('Has a battery'),
    hasHoa: flag('Has an HOA'),
    permitRequired: flag('Permit required'),
    inspectionRequired: flag('Inspection required'),
    installCompleted: flag('Installed'),
    m2Approved: flag('M2 approved'),
    hasOutstandingItems: flag('Outstanding items'),
    hasChangesToAdders: flag('Adders changed'),
    plansetMatchesAsBuilt: flag('Planset matches as-built'),
    scopeOfWorkPacket: flag('Scope-of-work packet completed'),
  },
  'HOA and notes': {
    hoaName: text('HOA'),
    hoaEmail: text('HOA e-mail'),
    hoaNumber: text('HOA phone'),
    notes: text('Notes'),
    notesLastUpdated: time('Notes updated'),
    notesNextActivityDate: time('Next activity'),
    inspectionResults: text('Inspection result'),
    reInspectionResults: text('Re-inspection result'),
    inspectionNotes: text('Inspection notes'),
    hicAgreement: text('Agreement file'),
  },
} as const

const labelledElsewhere = new Set(
  Object.values({ ...groupsBefore, ...groupsAfter }).flatMap((fields) => Object.keys(fields)),
)

const groups = {
  ...groupsBefore,
  Milestones: Object.fromEntries(
    milestoneDates
      .filter(({ field }) => !labelledElsewhere.has(field))
      .map(({ field, fullLabel }) => [field, time(fullLabel)]),
  ),
  ...groupsAfter,
}

/** Label and type of each field of a deal. */
export const fieldLabels: Labels = Object.assign({}, ...Object.values(groups))

/** Fields by group, in display order. */
export const fieldGroups = Object.entries(groups).map(([name, fields]) => ({
  name,
  fields: Object.keys(fields) as DealField[],
}))

/** Fields whose changes can trigger a webhook. */
export const changeableFields = fieldGroups.flatMap(({ fields }) => fields).filter(isChangeable)

const ofKind = <Name extends DealField>(kind: string) =>
  fieldGroups.flatMap(({ fields }) => fields.filter((field) => fieldLabels[field].kind === kind)) as Name[]

/** Returns true for times displayed as a duration, whose sort order is the reverse. */
export const isDuration = (field: string) => field === 'timeInCurrentStage'

/** Fields with the people of a deal, one field per role. */
export const labelledRoleFields = [...ofKind<RoleField>('person'), 'closerName', 'setterName'] as RoleField[]

/** Boolean fields. */
export const labelledFlagFields = ofKind<FlagField>('flag')

/** Returns the date fields of a group. */
export const timeFieldsIn = (group: keyof typeof groups) =>
  (Object.keys(groups[group]) as DealField[]).filter(
    (field): field is TimeField => fieldLabels[field].kind === 'time',
  )

/** Date fields: milestones, and when the deal and its notes last changed. */
export const labelledTimeFields = ofKind<TimeField>('time')

const cents = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

const dollarFields: ReadonlySet<DealField> = new Set([
  'amount',
  'totalPpw',
  'basePpw',
  'adderPpw',
  'adderCost',
  'loanAmount',
])

/** Formats dollars with cents, such as `$30,800.00`. Returns text that is not a plain number unchanged. */
export function dollarsOf(value: number | string): string {
  return typeof value === 'number' || /^-?\d{1,15}(?:\.\d+)?$/.test(value)
    ? cents.format(Number(value))
    : value
}

/** Formats the system size, which is free text. Plain numbers are in kilowatts. */
export const sizeText = (size: string | null) => (/^\d+(?:\.\d+)?$/.test(size ?? '') ? `${size} kW` : size)

/** Returns a person's name, or else the e-mail address, or else the ID. */
export function personName({ id, firstName, lastName, email }: Person): string {
  return [firstName, lastName].filter(Boolean).join(' ').trim() || email || `Person ${id}`
}

/** Formats the value of a field, or returns null if unknown. */
export function fieldText(field: DealField, value: unknown, { formatInstant }: Format): string | null {
  if (value === null || value === undefined || value === '') return null
  const { kind } = fieldLabels[field]
  if (kind === 'flag') return value === true ? 'Yes' : 'No'
  if (kind === 'person') return personName(value as Person)
  if (kind === 'time') return formatInstant(String(value))
  return dollarFields.has(field)
    ? dollarsOf(typeof value === 'string' ? value : Number(value))
    : String(value)
}

/** Flags that need attention when set. */
export const alarming: readonly FlagField[] = ['hasOutstandingItems', 'hasChangesToAdders']
