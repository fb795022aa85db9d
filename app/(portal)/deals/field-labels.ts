import type { FlagField, RoleField, TimeField } from '#server/deals/columns.ts'
import type { DealField, dealFields } from '#server/deals/deal.ts'
import { isChangeable } from '#server/deals/event.ts'
import { milestoneDates } from '#server/deals/milestones/milestone.ts'

interface Labelled<Kind> {
  label: string
  /**
   * Type of the field in the REST API. Repeated here because browsers do not load the server's table of
   * types.
   */
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

/**
 * Returns true for times that are displayed as a duration. Sorting a duration reverses the order of times.
 */
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
