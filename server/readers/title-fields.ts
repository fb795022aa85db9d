import { isZone } from '../accounts/zone-choice.ts'
import { dealFields, personFields, valueKindOf } from '../deals/deal.ts'
import { milestoneDates } from '../deals/milestone.ts'
import { jointFields } from '../values/place.ts'
import { splitUnit } from '../values/text.ts'
import type { Zone } from '../values/zone.ts'

/**
 * The fields that a column can be mapped to: deal fields, `partner`, and fields of people such as
 * `owner.name`.
 */
export const columnFields: readonly string[] = [
  ...Object.entries(dealFields).flatMap(([name, { kind }]) =>
    kind === 'person' ? [...Object.keys(personFields), 'name'].map((inner) => `${name}.${inner}`) : [name],
  ),
  'partner',
  ...jointFields,
]

/** A field that a title may refer to. If two titles match one field, the lower rank is more likely. */
export interface TitleField {
  field: string
  rank: number
}

/** Returns the possible fields of a title, most likely first. Includes the fields of ambiguous titles. */
export const titleFields = (title: string): string[] => {
  const meanings = meaningsOf(title)
  return meanings === undefined
    ? candidatesOf(title).map(({ field }) => field)
    : meanings.filter(Boolean).toReversed()
}

/** Returns the most likely field of a title, or undefined. */
export const fieldOfTitle = (title: string): string | undefined => titleFields(title)[0]

/** Returns the fields that a title may refer to, most likely first. */
export function candidatesOf(title: string): TitleField[] {
  // Names of custom fields in Salesforce end with `__c`.
  const bare = zoneOfTitle(title).title.slice(0, 200).replace(/__c$/i, '')
  const found: TitleField[] = []
  const add = (fields: readonly string[], name: string, penalty: number) => {
    for (const [index, field] of fields.entries())
      if (!found.some((other) => other.field === field))
        found.push({ field, rank: penalty + index + rankOf(field, name) / 1000 })
  }
  for (const [index, name] of spellingsOf(bare).entries()) add(byName.get(name) ?? [], name, index)
  const { title: ofSize } = splitUnit(bare)
  if (ofSize !== bare) add(byName.get(plain(ofSize))?.filter(isSize) ?? [], '', 5)
  const milestone = byWords.get(wordsKey(bare))
  if (milestone !== undefined) add([milestone], '', 10)
  for (const name of spellingsOf(bare)) add(withoutOwner(name), name, 20)
  for (const name of spellingsOf(bare.replace(remark, ''))) {
    const fields = [...(byName.get(name) ?? []), ...withoutOwner(name)]
    // A remark changes the meaning: “Amount (paid)” is a different amount, and “Updated (by hand)” a
    // different time.
    add(
      fields.filter((field) => !['number', 'time'].includes(valueKindOf(field)!)),
      name,
      30,
    )
  }
  return bare.includes('#') ? found.filter(({ field }) => isNumbered(field)) : found
}

/**
 * Returns whether titles of the field may contain `#`. `Loan #` is not an amount, and `Customer #` is not a
 * name.
 */
const isNumbered = (field: string) =>
  field === 'id' || field === 'primaryPhone' || field === 'hoaNumber' || field.startsWith('numberOf')

const isSize = (field: string) => field === 'systemSize'

// Matches remarks as in “Record ID (numeric)” and “Customer Name (from Contacts)”.
const remark = / ?(?:\([^()]{1,60}\)|\[[^[\]]{1,60}\])$/

/**
 * Returns the normalized forms of a title: unchanged, with signs as words, and without a unit in brackets.
 */
function spellingsOf(title: string): string[] {
  const signs = title.replaceAll('#', ' number ').replaceAll('$', ' amount ')
  // `Job #` is a number, not a job.
  if (signs !== title && byName.has(plain(signs))) return [plain(signs)]
  // Excel pivot tables write `Sum of Amount`, and Podio writes `Price - amount`.
  const short = title.replace(unit, '').replace(/^sum of | - amount$/gi, '')
  const noSigns = short.replaceAll(/[#$]/g, '')
  return [...new Set([title, signs, short, noSigns].map(plain))].filter((name) => name !== '')
}

const unit =
  / ?[([](?:kw ?(?:dc|stc|ac)?|kwp|w|watts?|usd|us\$|\$|%|#|\$\/w|converted|total|transaction total|company currency|currency|date|qty|count|number|y\/n|yes\/no|[mdy]{1,4}[-/.][mdy]{1,4}[-/.][mdy]{1,4})[)\]]$| usd$/i

function withoutOwner(name: string): string[] {
  return owners.flatMap(([prefix, fields]) => {
    const rest = name.replace(prefix, '')
    const found = rest === name || rest === '' ? [] : (byName.get(rest) ?? [])
    return fields === null ? found : found.filter((field) => fields.includes(field))
  })
}

/** Returns the possible fields of an ambiguous title, most likely first. */
export const meaningsOf = (title: string) => severalMeanings.get(plain(zoneOfTitle(title).title))

/** Returns whether the dates of a column determine the field of its title. */
export const isOpenDateTitle = (title: string) => meaningsOf(title)?.includes('installedScheduled') === true

/** Ambiguous titles and their possible fields, most likely first. */
const severalMeanings = new Map<string, readonly string[]>(
  Object.entries({
    'installdate installationdate dateofinstall': ['installComplete', 'installedScheduled'],
    'rep salesrep salesrepname salesperson salesconsultant energyconsultant consultant': [
      'closerName',
      'owner.name',
    ],
    'permitdate dateofpermit': ['permitReceived', 'permitSubmitted'],
    // Closers have no e-mail address field.
    'repemail salesrepemail': ['', 'owner.email'],
  }).flatMap(([titles, fields]) => titles.split(' ').map((title) => [title, fields] as const)),
)

/** Splits the time zone from a title such as `Updated (America/Phoenix)`, as in portal exports. */
export function zoneOfTitle(title: string): { title: string; zone: Zone | null } {
  const [, bare, zone] = titleInZone.exec(title) ?? []
  return bare !== undefined && isZone(zone!) ? { title: bare, zone: zone as Zone } : { title, zone: null }
}

const titleInZone = /^(.{1,100}) \(([A-Za-z0-9_+\-/]{1,60})\)$/

const plain = (text: string) =>
  text
    .slice(0, 100)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replace(/reqd$/, 'required')
    .replace(/(?<=utility|financ(?:e|ing)|loan|power|electric|sales)co$/, 'company')

/** Fields by normalized title, most likely first. */
const byName = new Map<string, string[]>()

function addNames(field: string, names: string[]): void {
  for (const name of names.map(plain)) {
    const fields = byName.get(name)
    if (fields === undefined) byName.set(name, [field])
    else if (!fields.includes(field)) fields.push(field)
  }
}

for (const field of columnFields) addNames(field, [field])
for (const { field, fullLabel } of milestoneDates) addNames(field, [fullLabel])

// Names of roles in the portal.
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

// Names used by people, by this portal and by other systems. If two columns match one field, the name listed
// first wins.
const names: Record<string, string> = {
  id: 'dealid opportunityid id recordid crmid projectid hsobjectid dealnumber projectnumber jobid jobnumber opportunitynumber contractid contractnumber recordnumber itemid uniqueid hubspotid dealno projectno jobno leadid internalid systemid siteid displaynumber autonumber orderid ordernumber saleid number num taskid cardid copperid customid taskcustomid customtaskid job project deal',
  dealname:
    'deal name dealtitle opportunitytitle projecttitle potentialname opportunityname opportunity projectname project jobname job customername customer homeownername homeowner homeowners clientname client customerfullname homeownerfullname fullname leadname contactname accountname primarycontact propertyowner contact account lead item displayname buyer buyername systemname taskname task cardname sitename primarycolumn applicant borrower title',
  firstName:
    'homeownerfirstname customerfirstname contactfirstname clientfirstname firstnm fname givenname first',
  lastName:
    'homeownerlastname customerlastname contactlastname clientlastname lastnm lname surname familyname last',
  streetAddress:
    'address street siteaddress installaddress installationaddress propertyaddress address1 addressline1 streetaddress1 streetaddressline1 homeaddress serviceaddress jobsiteaddress customeraddress projectaddress mailingaddress mailingstreet billingstreet addressstreet',
  city: 'town locality citytown addresscity mailingcity billingcity',
  state:
    'stateprovince st stateregion provincestate province statecode usstate addressstate mailingstate billingstate',
  zipCode:
    'zip postalcode zippostalcode zipcodepostalcode postcode postal zip5 addresszip mailingzip billingzip',
  primaryPhone:
    'phone phonenumber mobile mobilephone mobilenumber cell cellphone cellnumber telephone tel phone1 homephone phoneprimary bestphone',
  nameOnUb: 'nameonutilitybill utilitybillname nameonbill utilityaccountname',
  utilityName:
    'utility utilitycompany utilityprovider electriccompany powercompany electricutility electricprovider',
  stage:
    'dealstage currentstage status currentstatus projectstage projectstatus stagename milestone currentmilestone pipelinestage opportunitystage jobstatus dealstatus phase projectphase currentphase statusname systemstatus section sectioncolumn listname state',
  pipeline: 'dealpipeline pipelinename',
  amount:
    'dealamount contractamount contractprice totalprice contractvalue totalcontractvalue totalcontractamount contracttotal totalcontractprice saleprice salesprice saleamount dealvalue projectvalue totalamount systemprice grosscontract grossprice systemcost totalsystemcost totalsystemprice projectamount projectcost price contract grosscost installcost basesystemprice approvedestimatetotal approvedestimate amt priceincludingtax value leadvalue gross grossamount contractamt saleamt totalamt amountincompanycurrency amountinhomecurrency',
  totalPpw: 'totalpriceperwatt ppw grossppw priceperwatt pricewatt grosspriceperwatt ppwgross',
  basePpw: 'basepriceperwatt baseppw netppw ppwnet redline baseprice',
  adderPpw: 'adderperwatt addersperwatt addersppw',
  adderCost:
    'costofadders adderscost addercosts addertotal adderstotal totaladders totaladdercost adderamount addersamount',
  adders: 'adder adderlist additionalwork',
  systemSize:
    'size system systemsizekw systemkw kw systemsizekwdc kwdc sizekw kwsize systemsizedc dcsystemsize dcsize systemsizedckw pvsystemsize solarsystemsize totalsystemsize arraysize kilowatts systemsizekwstc kwp systemsizestckw systemcapacity systemcapacitykw systemcapacitykwdc syssize systemkwstc systemkwdc peakpower peakpowerkwp',
  hasBattery: 'hasabattery batteryincluded withbattery batteryyn storageincluded battery storage',
  battery: 'batteryname batterytype batterymodel batterybrand energystorage batterystorage batterymake',
  numberOfBatteries:
    'batteries batterycount numberofbatteries batteryqty batteryquantity qtybatteries ofbatteries battery storage',
  inverterType: 'inverter inverters invertermodel inverterbrand invertermake invertername',
  numberOfInverters: 'invertercount inverterqty inverterquantity qtyinverters ofinverters inverters inverter',
  moduleType:
    'module paneltype panelmodel modulemodel modulename panelname panelbrand modulebrand solarpanel modules panel panels solarpanels',
  numberOfModules:
    'panelcount modulecount panelqty moduleqty numberofpanels panelquantity modulequantity totalpanels totalmodules qtypanels qtymodules ofpanels ofmodules panels modules solarpanels panel module',
  roofType: 'roof roofmaterial',
  proposalLink: 'proposal proposalurl linktoproposal proposalpdf designlink designurl',
  designToolAProjectId: 'designtoolaproject',
  designToolBProjectId: 'designtoolbproject',
  designToolCProjectId: 'designtoolcproject',
  timeInCurrentStage:
    'instage instagesince laststagechange laststagechangedate stagechanged stagechangedate stagedate dateenteredstage enteredstage statuschanged statuschangedate datestatuschanged laststatuschange',
  hoaName: 'hoa hoaassociation homeownersassociation',
  hasHoa: 'hasanhoa hoayn ishoa hoarequired hoa',
  hoaNumber: 'hoaphone hoaphonenumber',
  hoaEmail: 'hoaemailaddress',
  installCompleted: 'installed installcomplete',
  hasOutstandingItems: 'outstandingitems',
  hasChangesToAdders: 'adderschanged',
  scopeOfWorkPacket: 'scopeofworkpacketcompleted',
  m2Approved: 'm2',
  permitRequired: 'needspermit permitneeded',
  inspectionRequired: 'needsinspection inspectionneeded',
  notes:
    'note comments comment dealnotes projectnotes jobnotes customernotes remarks description memo memodescription',
  notesLastUpdated: 'notesupdated lastnote',
  notesNextActivityDate: 'nextactivity nextactivitydate nextfollowup nextstepdate',
  inspectionResults: 'inspectionresult inspectionstatus',
  reInspectionResults: 'reinspectionresult',
  hicAgreement: 'agreementfile',
  lastModified:
    'lastmodifieddate modified updated lastupdated lastmodifiedon datemodified modifieddate modifiedon updatedat updatedon dateupdated lastupdate systemmodstamp hslastmodifieddate modifiedtime lastmodifiedtime updatetime updatedtime lastedited lasteditedtime lastediteddate',
  createDate:
    'created createddate datecreated createdon createdat createdtime creationdate dealcreated dateadded added solddate datesold saledate dateofsale saledon sold contractsigneddate contractsigned datesigned signeddate contractdate dateclosed closeddate closedwondate',
  closerName: 'closer salescloser',
  setterName: 'setter appointmentsetter setby canvasser salessetter',
  dealer:
    'dealername dealercompany salesorganization salesorg salescompany salesdealer salespartner dealership',
  lender:
    'lendername financecompany financepartner financier financingcompany financing finance lendinginstitution loanprovider financeprovider fundingpartner bank loancompany',
  loanAmount: 'loan financedamount amountfinanced loantotal totalloanamount loanamt',
  latitude: 'lat gpslatitude sitelatitude',
  longitude: 'long lng lon gpslongitude sitelongitude',
  cityStateZip: 'citystate citystatezip citystatezipcode cityst citystzip citystateandzip location',
  fullAddress: 'completeaddress',
  coordinates: 'latlong latlng latitudelongitude gps gpscoordinates geolocation',
  'owner.email': 'dealowneremail accountmanageremail',
  'owner.name': 'owner dealowner opportunityowner dealownername projectowner ownername',
  'projectManager.email': 'pmemail',
  'projectManager.name': 'projectmanager pm pmname projectmgr',
  partner: 'partnerslug',
}
for (const [field, list] of Object.entries(names)) addNames(field, list.split(' '))

/** Returns the preference of a title for a field. The field's own name and label come first. */
const rankOf = (field: string, name: string) => 1 + (names[field]?.split(' ') ?? []).indexOf(name)

/** Dates of milestones by the words in their titles. Small words such as `date` and `on` are ignored. */
const milestoneWords: Record<string, string> = {
  siteSurveyRequested: 'site survey requested, survey requested',
  siteSurveyCompleted:
    'site survey completed, survey completed, survey, site visit completed, site audit completed, site assessment completed, site survey, site visit, site audit',
  cadRequested: 'cad requested, design requested, plans requested, planset requested, plan set requested',
  cadCompleted:
    'cad completed, cad design completed, design completed, plans completed, planset completed, plan set completed, cad received, plans received, design approved, cad approved',
  redesignCompleteDate: 'redesign completed, re design completed',
  reSignDate: 're sign, re signed, resigned, resign',
  engineeringRequested: 'engineering requested, engineering submitted',
  engineeringCompleted: 'engineering completed, engineering received, engineering approved, stamps received',
  ntpRequested: 'ntp requested, ntp submitted, notice proceed requested',
  ntpApproved:
    'ntp approved, ntp received, ntp granted, ntp issued, ntp completed, ntp, notice proceed, notice proceed approved',
  hoaApprovedDate: 'hoa approved, hoa received, hoa completed',
  permitSubmitted:
    'permit submitted, permits submitted, permitting submitted, permit package submitted, permit application submitted, ahj submitted, permit requested',
  permitReceived:
    'permit received, permits received, permit approved, permits approved, permit issued, permit obtained, permitting completed, permit completed, ahj approved, permit in hand, permit back',
  expectedPermitDeliveryDate:
    'expected permit delivery, expected permit, permit expected, permit eta, estimated permit, expected permit received',
  installedScheduled:
    'install scheduled, scheduled install, planned install, install planned, install start scheduled',
  installComplete:
    'installed, install completed, installs completed, completed install, installed completed, pv install completed, install finished',
  inspectionRequested: 'inspection requested, inspection submitted, final inspection requested',
  reInspectionRequested: 're inspection requested, reinspection requested',
  reInstallScheduled: 're install scheduled, reinstall scheduled',
  fundingSubmitted: 'funding submitted, submitted funding, funding requested, funding package submitted',
}

/** Synonyms that are replaced by another word. */
const sameWords = new Map(
  Object.entries({
    received: 'recd rcvd rec receive receipt',
    approved: 'approval approve appr',
    issued: 'issuance',
    submitted: 'submission submittal submit subm sub applied sent',
    completed: 'complete completion comp done finish finished',
    requested: 'request req ordered',
    required: 'reqd',
    scheduled: 'schedule sched',
    install: 'installation installations',
    permit: 'permitting permits',
    application: 'app',
  }).flatMap(([word, others]) => others.split(' ').map((other) => [other, word] as const)),
)
const smallWords = new Set('date dates on at of the day time dt to is was actual'.split(' '))

function wordsKey(title: string): string {
  const words = title
    .slice(0, 100)
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replaceAll(/['’.]/g, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !smallWords.has(word))
    .map((word) => sameWords.get(word) ?? word)
  return [...new Set(words)].toSorted().join(' ')
}

const byWords = new Map<string, string>()
for (const [field, list] of Object.entries(milestoneWords))
  for (const title of list.split(', ')) if (!byWords.has(wordsKey(title))) byWords.set(wordsKey(title), field)

// Prefixes of titles, and the fields that they may precede, or null for all fields.
const ofPeople = 'firstName lastName primaryPhone streetAddress city state zipCode dealname'.split(' ')
const ofSites = ['streetAddress', 'city', 'state', 'zipCode', 'coordinates']
const owners: readonly [prefix: RegExp, fields: readonly string[] | null][] = [
  [/^(?:deal|opportunity|opp|project|job|record|hs|current)/, null],
  [/^(?:customer|cust|homeowners?|ho|client|contact|lead|account|primary|main|buyer|person)/, ofPeople],
  [
    /^(?:property|site|install|installation|service|home|mailing|billing|job|project|physical|address1?)/,
    ofSites,
  ],
  [
    /^(?:podio|hubspot|salesforce|sf|zoho|monday|pipedrive|airtable|jobnimbus|clickup|asana|smartsheet)/,
    ['id'],
  ],
]
