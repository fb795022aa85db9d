import type { ValueKind } from '../values/value.ts'
/**
 * The type of a field. `money` is an amount in dollars with at most two decimals, `flag` is a boolean that is
 * never null, and `time` is an ISO 8601 instant in UTC with milliseconds.
 */
export type FieldKind = 'int64' | 'text' | 'double' | 'money' | 'flag' | 'time' | 'person'

interface Field<Kind extends FieldKind> {
  kind: Kind
  description: string
  example: string | number | boolean
}

function field<const Kind extends FieldKind>(
  kind: Kind,
  description: string,
  example: string | number | boolean = '',
): Field<Kind> {
  return { kind, description, example }
}

/** The fields of a person, in the order of the API. */
export const personFields = {
  id: field('int64', 'Id of the person.', 41203),
  userId: field('int64', 'User id of the person in the external customer-relationship system.', 7719402),
  email: field('text', 'E-mail address.', 'maria.alvarez@brightroof.example'),
  firstName: field('text', 'First name.', 'Maria'),
  lastName: field('text', 'Last name.', 'Alvarez'),
  teams: field('text', 'Names of the teams.', 'Project Management'),
  crmTeamId: field('text', 'Id of the team in the external customer-relationship system.', '5510'),
  createdAt: field('time', 'When the person was created.', '2023-04-11T15:02:44.000Z'),
  updatedAt: field('time', 'When the person was last updated.', '2026-01-19T08:30:00.000Z'),
}

/**
 * The fields of a deal, in the order of the API. Schemas, validation, rendering and documentation are derived
 * from this table.
 */
export const dealFields = {
  id: field('int64', 'Deal id in the external customer-relationship system.', 20411000193),
  owner: field('person', 'Owner / sales representative.'),
  projectManager: field('person', 'Project manager.'),
  postInstallEngineer: field('person', 'Post-install engineer.'),
  postInstallProjectManager: field('person', 'Post-install project manager.'),
  ixCoordinator: field('person', 'Interconnection coordinator.'),
  permitCoordinator: field('person', 'Permit coordinator.'),
  dealname: field('text', 'Deal name.', 'Garcia, Daniel - 8.8 kW'),
  firstName: field('text', 'Homeowner first name.', 'Daniel'),
  lastName: field('text', 'Homeowner last name.', 'Garcia'),
  coordinates: field('text', 'Homeowner coordinates.', '33.4484,-112.0740'),
  state: field('text', "Homeowner's state (region); not a workflow state.", 'AZ'),
  streetAddress: field('text', 'Homeowner street address.', '1208 W Palm Ln'),
  city: field('text', 'Homeowner city.', 'Phoenix'),
  zipCode: field('text', 'Homeowner zip code.', '85007'),
  primaryPhone: field('text', 'Homeowner primary phone number.', '(602) 555-0147'),
  nameOnUb: field('text', 'Homeowner name on the utility bill.', 'Daniel Garcia'),
  utilityName: field('text', 'Homeowner utility name.', 'Arizona Public Service'),
  stage: field('text', 'Current deal stage (label).', 'Permit Submitted'),
  stageId: field('text', 'Id of the deal stage.', 'permit-submitted'),
  pipelineId: field('text', 'Id of the pipeline the deal is in.', 'residential'),
  pipeline: field('text', 'Label of the pipeline the deal is in.', 'Residential Solar'),
  amount: field('money', 'Deal amount.', 30800),
  totalPpw: field('double', 'Total price per watt.', 3.5),
  basePpw: field('double', 'Base price per watt.', 3.1),
  adderPpw: field('text', 'Adder price per watt (a string).', '0.40'),
  adderCost: field('money', 'Cost of the adders.', 3520),
  adders: field('text', 'Comma-separated list of adders.', 'Main panel upgrade, Critter guard'),
  systemSize: field('text', 'System size.', '8.80'),
  roofType: field('text', 'Roof type.', 'Composition shingle'),
  designToolAProjectId: field('text', 'Project id in the first design tool.', 'A-204417'),
  designToolBProjectId: field('text', 'Project id in the second design tool.', 'B-88012'),
  designToolCProjectId: field('text', 'Project id in the third design tool.', 'C-5521'),
  proposalLink: field(
    'text',
    'Link to the proposal in the design tool.',
    'https://design.example/proposals/204417',
  ),
  battery: field('text', 'Name of the battery used.', 'Tesla Powerwall 3'),
  inverterType: field('text', 'Inverter type.', 'Enphase IQ8M'),
  moduleType: field('text', 'Module type.', 'Qcells Q.PEAK DUO BLK ML-G10+ 400'),
  numberOfBatteries: field('text', 'Quantity of batteries (a string).', '1'),
  numberOfInverters: field('text', 'Quantity of inverters (a string).', '22'),
  numberOfModules: field('text', 'Quantity of modules (a string).', '22'),
  closerName: field('text', 'Closer name.', 'Jordan Reyes'),
  setterName: field('text', 'Setter name.', 'Alex Kim'),
  dealer: field('text', 'The partner that closed the deal.', 'Sunline Home Energy'),
  lender: field('text', 'Lender used.', 'GoodLeap'),
  loanAmount: field('text', 'Loan amount (a string).', '30800.00'),
  hoaName: field('text', 'HOA full name.', 'Encanto Village Association'),
  hoaEmail: field('text', 'HOA e-mail.', 'board@encantovillage.example'),
  hoaNumber: field('text', 'HOA phone number.', '(602) 555-0111'),
  notes: field('text', 'Deal notes.', 'Gate code 4471, dog in the yard.'),
  inspectionNotes: field('text', 'Inspection notes.', 'City inspector prefers mornings.'),
  reInspectionResults: field('text', 'Results of the re-inspection.', 'Passed'),
  inspectionResults: field('text', 'Results of the inspection.', 'Passed'),
  hicAgreement: field(
    'text',
    'Id of the agreement file; usable as the file id of the file operation.',
    'hic_9f2Kd81LmQ',
  ),
  hasBattery: field('flag', 'Project has a battery.', true),
  hasChangesToAdders: field('flag', 'New changes to the adders exist.', false),
  hasHoa: field('flag', 'Project has an HOA.', true),
  inspectionRequired: field('flag', 'Inspection is required.', true),
  installCompleted: field('flag', 'Install has been completed.', false),
  m2Approved: field('flag', 'M2 was approved.', false),
  hasOutstandingItems: field('flag', 'Project has outstanding items.', false),
  permitRequired: field('flag', 'Permit is required.', true),
  plansetMatchesAsBuilt: field('flag', 'Planset matches as-built.', false),
  scopeOfWorkPacket: field('flag', 'Scope-of-work packet is completed.', true),
  lastModified: field('time', 'When the deal was last modified.', '2026-03-01T17:20:05.000Z'),
  createDate: field('time', 'When the project was created.', '2026-01-08T19:12:31.000Z'),
  timeInCurrentStage: field(
    'time',
    'Time in the current stage; typed as a date-time.',
    '2026-02-20T16:00:00.000Z',
  ),
  cadCompleted: field('time', 'CAD completed.', '2026-01-22T18:40:00.000Z'),
  cadRequested: field('time', 'CAD requested.', '2026-01-17T15:00:00.000Z'),
  engineeringCompleted: field('time', 'Engineering completed.', '2026-01-29T21:15:00.000Z'),
  engineeringRequested: field('time', 'Engineering requested.', '2026-01-23T14:00:00.000Z'),
  expectedPermitDeliveryDate: field('time', 'Expected permit delivery.', '2026-03-12T00:00:00.000Z'),
  fundingSubmitted: field('time', 'Funding submitted.', '2026-05-04T15:30:00.000Z'),
  hoaApprovedDate: field('time', 'HOA approved.', '2026-02-11T00:00:00.000Z'),
  inspectionRequested: field('time', 'Inspection requested.', '2026-04-14T16:00:00.000Z'),
  installComplete: field('time', 'Install completed.', '2026-04-09T23:10:00.000Z'),
  installedScheduled: field('time', 'Install scheduled for.', '2026-04-08T15:00:00.000Z'),
  notesLastUpdated: field('time', 'Notes last updated.', '2026-02-27T20:05:12.000Z'),
  notesNextActivityDate: field('time', 'Next activity date for notes.', '2026-03-05T16:00:00.000Z'),
  ntpApproved: field('time', 'NTP approved.', '2026-02-06T17:45:00.000Z'),
  ntpRequested: field('time', 'NTP requested.', '2026-02-02T14:20:00.000Z'),
  permitReceived: field('time', 'Permit received.', '2026-03-10T18:00:00.000Z'),
  permitSubmitted: field('time', 'Permit submitted.', '2026-02-20T16:00:00.000Z'),
  reInspectionRequested: field('time', 'Re-inspection requested.', '2026-04-20T15:00:00.000Z'),
  reInstallScheduled: field('time', 'Re-install scheduled.', '2026-04-18T15:00:00.000Z'),
  reSignDate: field('time', 'Re-sign date.', '2026-02-03T22:30:00.000Z'),
  siteSurveyCompleted: field('time', 'Site survey completed.', '2026-01-14T20:00:00.000Z'),
  siteSurveyRequested: field('time', 'Site survey requested.', '2026-01-09T15:00:00.000Z'),
  redesignCompleteDate: field('time', 'Redesign completed.', '2026-02-04T19:00:00.000Z'),
}

interface FieldValue {
  int64: bigint | null
  text: string | null
  double: number | null
  money: number | null
  flag: boolean
  time: string | null
  person: Person | null
}

type Values<Fields extends Record<string, Field<FieldKind>>> = {
  [Name in keyof Fields]: FieldValue[Fields[Name]['kind']]
}

/** A person as provided by the CRM. A person is part of a deal and not stored as a separate object. */
export type Person = Omit<Values<Omit<typeof personFields, 'id'>>, never> & { id: bigint }

/** Returns the e-mail address that identifies a member of the staff, trimmed and in lower case. */
export const staffKey = (email: string) => email.trim().toLowerCase()

/** A complete deal, in which unknown values are null and unknown flags are false. */
export type Deal = Values<Omit<typeof dealFields, 'id'>> & { id: bigint }

/** A deal in which a flag is null if no source provided it. The REST API returns false for such flags. */
export type KnownDeal = {
  [Name in keyof Deal]: Deal[Name] extends boolean ? boolean | null : Deal[Name]
}

/** A deal as imported: absent fields keep their stored value, and null clears a field. */
export type DealRecord = { id: bigint; partner?: string | null } & {
  [Name in Exclude<DealField, 'id'>]?: Deal[Name] | null
}

export type DealField = keyof typeof dealFields

export type FieldOf<Kind extends FieldKind> = {
  [Name in DealField]: (typeof dealFields)[Name]['kind'] extends Kind ? Name : never
}[DealField]

/** Returns all fields of a type, in the order of the API. */
export const fieldsOf = <Kind extends FieldKind>(kind: Kind) =>
  Object.entries(dealFields).flatMap(([name, field]) => (field.kind === kind ? [name as FieldOf<Kind>] : []))

export type FlagField = FieldOf<'flag'>

export type TimeField = FieldOf<'time'>

/** Text fields that can be filtered by value, in addition to stage, pipeline and state. */
export const valueFields = [
  'city',
  'utilityName',
  'closerName',
  'lender',
  'moduleType',
  'inverterType',
  'battery',
] as const satisfies readonly DealField[]
export type ValueField = (typeof valueFields)[number]

/** Kinds of text fields that do not contain plain text. */
const ofTexts: Partial<Record<DealField, ValueKind>> = {
  zipCode: 'numericText',
  primaryPhone: 'numericText',
  hoaNumber: 'numericText',
  adderPpw: 'numericText',
  systemSize: 'size',
  numberOfBatteries: 'numericText',
  numberOfInverters: 'numericText',
  numberOfModules: 'numericText',
  loanAmount: 'numericText',
  designToolAProjectId: 'numericText',
  designToolBProjectId: 'numericText',
  designToolCProjectId: 'numericText',
  stageId: 'numericText',
  pipelineId: 'numericText',
  proposalLink: 'link',
  hicAgreement: 'fileId',
}

const ofKinds = {
  int64: 'id',
  text: 'text',
  double: 'number',
  money: 'number',
  flag: 'flag',
  time: 'time',
} as const

/**
 * Returns the kind of value that a field such as `amount`, `owner.email` or `partner` contains. Returns null
 * for an entire person or an unknown field.
 */
export function valueKindOf(field: string): ValueKind | null {
  if (field === 'partner') return 'text'
  const [name, part, ...rest] = field.split('.') as [string, ...string[]]
  if (!Object.hasOwn(dealFields, name) || rest.length > 0) return null
  const { kind } = dealFields[name as DealField]
  if (part === undefined) return kind === 'person' ? null : (ofTexts[name as DealField] ?? ofKinds[kind])
  if (kind !== 'person') return null
  if (part === 'name') return 'text'
  return Object.hasOwn(personFields, part)
    ? ofKinds[personFields[part as keyof typeof personFields].kind]
    : null
}
