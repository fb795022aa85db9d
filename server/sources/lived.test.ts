import { expect, test } from 'vitest'
import { type ConnectedSource, connect, crm, database, makePartner, useStandIn } from '#e2e/crm/connected.ts'
import { property } from '#e2e/crm/stand-in.ts'
import * as actions from './actions.ts'
import type { SourceSettings } from './mapping.ts'
import { readRejects, readUnknownPartners } from './store.ts'

// Tests a HubSpot account that has been in use for years.

let source: ConnectedSource

useStandIn()

/** Connects the fake HubSpot with these properties and this mapping. */
async function connectWith(
  properties: object[],
  mapping: SourceSettings['mapping'],
  partnerProperty: string | null = 'partner',
): Promise<void> {
  crm.properties.push(...properties)
  source = await connect()
  await actions.setMapping(source.context, { id: source.id, mapping, partnerProperty })
}

const problems = () => readRejects(database.db, source.id, 20)

/** Returns a property with additional HubSpot attributes. */
const special = (name: string, fieldType: string, more: object, type = 'enumeration') => ({
  ...property(name, name, type, fieldType),
  ...more,
})
const owners = { externalOptions: true, referencedObjectType: 'OWNER' }

test('labels replace option values in texts, flags, numbers and lists', async () => {
  await connectWith(
    [
      property('roof', 'Roof', 'enumeration', 'select', [['r1', 'Comp. shingle']]),
      property('hoa', 'HOA', 'enumeration', 'radio', [
        ['1', 'No'],
        ['2', 'Yes'],
      ]),
      property('permit', 'Permit', 'enumeration', 'radio', [
        ['true', 'Ja'],
        ['false', 'Nein'],
      ]),
      property('m2', 'M2', 'enumeration', 'select', [['a', 'Under review']]),
      property('ppw', 'PPW', 'enumeration', 'select', [['p35', '3.50']]),
      property('loan', 'Loan', 'enumeration', 'select', [['1', '$20,000']]),
      property('cost', 'Cost', 'enumeration', 'select', [['450', 'about 450']]),
      property('inspected', 'Inspection', 'enumeration', 'radio', [['0', '0']]),
    ],
    {
      roofType: 'roof',
      hasHoa: 'hoa',
      permitRequired: 'permit',
      m2Approved: 'm2',
      totalPpw: 'ppw',
      amount: 'loan',
      adderCost: 'cost',
      adders: 'adders',
      hasBattery: 'has_battery',
      inspectionRequired: 'inspected',
      stage: 'dealstage',
    },
  )
  const deal = crm.create({
    roof: 'r1',
    hoa: '1',
    permit: 'true',
    m2: 'a',
    ppw: 'p35',
    loan: '1',
    cost: '450',
    adders: ';mpu;guard;gone',
    has_battery: '',
    inspected: '0',
    dealstage: '1002',
  })
  await source.read()
  expect(await source.stored(deal)).toMatchObject({
    roofType: 'Comp. shingle',
    hasHoa: false,
    permitRequired: true,
    totalPpw: 3.5,
    amount: 20_000,
    adderCost: 450,
    adders: 'Main panel upgrade, Critter guard, gone',
    hasBattery: false,
    inspectionRequired: false,
    stage: 'Install Scheduled',
  })
  expect(await problems()).toMatchObject([
    {
      id: deal,
      isWritten: true,
      reason: expect.stringMatching(/^m2Approved \(m2\) “Under review” is neither yes nor no/),
    },
  ])
})

test('names replace the ids of users, owners and teams, including lists and archived people', async () => {
  crm.owners.push(
    {
      id: '88',
      email: 'kim@x.example',
      firstName: 'Kim',
      lastName: 'Lee',
      userId: 9,
      archived: true,
      teams: [],
    },
    { id: '89', email: 'no-name@x.example', firstName: '', lastName: '', userId: 10, archived: false },
  )
  await connectWith(
    [
      special('closer', 'select', owners),
      special('setters', 'checkbox', owners),
      special('hs_created_by_user_id', 'number', {}, 'number'),
      special('hubspot_team_id', 'select', { externalOptions: true }),
      special('engineer', 'select', owners),
      property('coordinator', 'Coordinator', 'string', 'text'),
      property('rep', 'Rep', 'string', 'text'),
    ],
    {
      closerName: 'closer',
      setterName: 'setters',
      nameOnUb: 'hs_created_by_user_id',
      dealer: 'hubspot_team_id',
      postInstallEngineer: 'engineer',
      permitCoordinator: 'coordinator',
      owner: 'hubspot_owner_id',
      projectManager: 'setters',
      ixCoordinator: 'rep',
    },
  )
  const deal = crm.create({
    closer: '41203',
    setters: '88;41203;89;7',
    hs_created_by_user_id: '7719402',
    hubspot_team_id: '5510',
    engineer: '9',
    coordinator: 'maria.alvarez@brightroof.example',
    hubspot_owner_id: '88',
    rep: 'Jo Diaz',
  })
  await source.read()
  expect(await source.stored(deal)).toMatchObject({
    closerName: 'Maria Alvarez',
    setterName: 'Kim Lee, Maria Alvarez, no-name@x.example, 7',
    nameOnUb: 'Maria Alvarez',
    dealer: 'Project Management',
    // A user id in a property for owner ids.
    postInstallEngineer: { id: 88n, firstName: 'Kim' },
    permitCoordinator: { id: 41_203n, lastName: 'Alvarez' },
    owner: { id: 88n, userId: 9n },
    projectManager: { id: 88n },
    ixCoordinator: { firstName: 'Jo', lastName: 'Diaz' },
  })
  expect(await problems()).toEqual([])
})

test('a partner is found by its label, and stays assigned when the label is renamed', async () => {
  const options: [string, string][] = [
    ['dealer_17', 'Acme Solar LLC'],
    ['dealer_18', 'Bolt'],
  ]
  const dealers = property('dealers', 'Dealer', 'enumeration', 'select', options)
  await connectWith([dealers], { dealname: 'dealname' }, 'dealers')
  const [acme, bolt] = [await makePartner(), await makePartner()]
  const deal = crm.create({ dealers: 'dealer_17' })
  const other = crm.create({ dealers: 'dealer_18' })
  await source.read()
  expect(await readUnknownPartners(database.db, source.id, 9)).toEqual([
    { value: 'Acme Solar LLC', deals: 1 },
    { value: 'Bolt', deals: 1 },
  ])
  await source.assign('Acme Solar LLC', acme)
  await source.assign('dealer_18', bolt)
  await source.read()
  expect(await source.stored(deal)).toMatchObject({ partnerId: acme.id })
  await source.compare()
  expect(await source.stored(other)).toMatchObject({ partnerId: bolt.id })
  dealers.options[0]!.label = 'Acme Solar Inc.'
  crm.change(deal, { dealname: 'Changed' })
  await source.read()
  expect(await source.stored(deal)).toMatchObject({ partnerId: acme.id, dealname: 'Changed' })
  expect(await source.stored(other)).toMatchObject({ partnerId: bolt.id })
})

test('rich text becomes plain text, and placeholders become empty', async () => {
  await connectWith([special('memo', 'html', {}, 'string'), property('county', 'County', 'string', 'text')], {
    notes: 'memo',
    city: 'county',
    amount: 'amount',
    permitSubmitted: 'permit_submitted',
  })
  const deal = crm.create({
    memo: '<div><p>Call the HOA &amp; ask</p><ul><li>twice</li></ul></div>',
    county: '(No value)',
    amount: ' $36,739.00 ',
    permit_submitted: '1771545600000',
  })
  await source.read()
  expect(await source.stored(deal)).toMatchObject({
    notes: 'Call the HOA & ask\n- twice',
    city: null,
    amount: 36_739,
    permitSubmitted: '2026-02-20T00:00:00.000Z',
  })
})

test('a file property with several ids or an upload URL sets the field to the id of the first file and adds every file', async () => {
  await connectWith([special('agreement', 'file', {}, 'string')], { hicAgreement: 'agreement' })
  const files = [crm.putFile('a.pdf', 'a'), crm.putFile('b.pdf', 'b'), crm.putFile('c.pdf', 'c')]
  const upload = `https://api-na1.hubspot.com/form-integrations/v1/uploaded-files/signed-url-redirect/${files[2]}?portalId=1&sign=x%3D&filename=c,d.pdf`
  const [several, url, other] = [
    `${files[0]}; ${files[1]},${files[0]},x`,
    upload,
    'https://1.fs1.hubspotusercontent.net/hubfs/1/x.pdf',
  ].map((agreement) => crm.create({ agreement }))
  await source.read()
  await actions.setFiles(source.context, {
    id: source.id,
    files: { properties: ['agreement'], notes: false, mode: 'link' },
  })
  await source.read()
  await source.read()
  expect(await source.stored(several!)).toMatchObject({ hicAgreement: files[0] })
  expect(await source.stored(url!)).toMatchObject({ hicAgreement: files[2] })
  expect(await source.stored(other!)).toMatchObject({ hicAgreement: null })
  const rows = await database.db
    .$client`select file_id as id, deal_id::text as deal from source_files order by file_id`
  expect(rows).toEqual([
    { id: files[0], deal: several },
    { id: files[1], deal: several },
    { id: files[2], deal: url },
  ])
  expect(await problems()).toMatchObject([
    { id: other, reason: expect.stringContaining('is not the id of a file') },
  ])
  // While the property is missing, its files stay.
  crm.properties.splice(
    crm.properties.findIndex((each) => (each as { name: string }).name === 'agreement'),
    1,
  )
  crm.change(several!, { dealname: 'Other' })
  expect(await source.read()).toMatchObject({ missingProperties: ['agreement'], problem: null })
  expect(await source.stored(several!)).toMatchObject({ hicAgreement: files[0] })
  expect(await database.db.$client`select from source_files where is_named`).toHaveLength(3)
})

test("an amount in another currency is converted to the company's currency if HubSpot provides the rate", async () => {
  await connectWith([special('adder_cost', 'number', { showCurrencySymbol: true }, 'number')], {
    amount: 'amount',
    adderCost: 'adder_cost',
  })
  const [pesos, dollars, unknown] = [
    { deal_currency_code: 'MXN', amount: '200000', amount_in_home_currency: '10000.5', adder_cost: '2000' },
    { deal_currency_code: 'USD', amount: '31050', amount_in_home_currency: null, adder_cost: null },
    { deal_currency_code: 'MXN', amount: '500000', amount_in_home_currency: '', adder_cost: '7' },
  ].map((values) => crm.create(values))
  await source.read()
  expect(await source.stored(pesos!)).toMatchObject({ amount: 10_000.5, adderCost: 100.01 })
  expect(await source.stored(dollars!)).toMatchObject({ amount: 31_050 })
  expect(await source.stored(unknown!)).toMatchObject({ amount: null, adderCost: null })
  expect(await problems()).toMatchObject([
    {
      id: unknown,
      reason:
        'amount (amount) is in MXN, and HubSpot does not convert it to USD; adderCost (adder_cost) is in MXN, and HubSpot does not convert it to USD',
    },
  ])
  // A deal that changes to another currency no longer has an amount in dollars.
  crm.change(dollars!, { deal_currency_code: 'MXN' })
  await source.read()
  expect(await source.stored(dollars!)).toMatchObject({ amount: null })
})

test('the field of a deleted property keeps its value until the property is restored', async () => {
  await connectWith([], { dealname: 'dealname', city: 'city', stageId: 'dealstage', state: 'state' })
  const partner = await makePartner()
  const deal = crm.create({ dealname: 'A', city: 'Phoenix', partner: 'A', state: 'AZ', dealstage: '1001' })
  await source.read()
  await source.assign('A', partner)
  expect(await source.read()).toMatchObject({ missingProperties: [] })
  const named = (name: string) => crm.properties.findIndex((each) => (each as { name: string }).name === name)
  const gone = ['city', 'partner', 'dealstage'].map((name) => crm.properties.splice(named(name), 1)[0]!)
  crm.change(deal, { dealname: 'B', city: null, partner: null })
  const fresh = crm.create({ dealname: 'New' })
  expect(await source.read()).toMatchObject({
    problem: null,
    missingProperties: ['city', 'dealstage', 'partner'],
  })
  expect(await source.stored(deal)).toMatchObject({
    dealname: 'B',
    city: 'Phoenix',
    stage: 'Permit Submitted',
    partnerId: partner.id,
  })
  expect(await source.stored(fresh)).toMatchObject({ dealname: 'New', partnerId: null })
  // Other fields can still be mapped.
  await actions.setMapping(source.context, {
    id: source.id,
    mapping: {
      dealname: 'dealname',
      city: 'city',
      stageId: 'dealstage',
      state: 'state',
      streetAddress: 'street_address',
    },
    partnerProperty: 'partner',
  })
  crm.properties.push(...gone)
  crm.deals.get(deal)!.properties['city'] = 'Mesa'
  crm.deals.get(deal)!.properties['partner'] = 'A'
  expect(await source.read()).toMatchObject({ missingProperties: [], problem: null })
  expect(await source.stored(deal)).toMatchObject({ city: 'Mesa', partnerId: partner.id })
})

test('a property deleted during a comparison clears no field', async () => {
  await connectWith([], { dealname: 'dealname', city: 'city' })
  const deals = Array.from({ length: 150 }, () => crm.create({ city: 'Mesa' }))
  await source.read()
  let pages = 0
  crm.fault = (path) => {
    if (path === '/crm/v3/objects/deals' && ++pages === 2)
      crm.properties.splice(
        crm.properties.findIndex((each) => (each as { name: string }).name === 'city'),
        1,
      )
    return undefined
  }
  expect(await source.compare()).toMatchObject({ differing: 0, missingProperties: ['city'] })
  expect(await source.stored(deals.at(-1)!)).toMatchObject({ city: 'Mesa' })
})

test('a renamed owner, team, option or stage appears after the next read, even in unchanged deals', async () => {
  const roof = property('roof', 'Roof', 'enumeration', 'select', [['r1', 'Tile']])
  await connectWith([roof, special('hubspot_team_id', 'select', { externalOptions: true })], {
    owner: 'hubspot_owner_id',
    roofType: 'roof',
    dealer: 'hubspot_team_id',
    stageId: 'dealstage',
  })
  const deal = crm.create(
    { hubspot_owner_id: '41203', roof: 'r1', hubspot_team_id: '5510', dealstage: '1002' },
    Date.now() - 86_400_000 * 3,
  )
  await source.read()
  await source.read()
  const owner = crm.owners[0] as unknown as { lastName: string; updatedAt: string; teams: { name: string }[] }
  owner.updatedAt = new Date().toISOString()
  crm.requests.length = 0
  await source.read()
  expect(crm.requests).not.toContain('/crm/v3/objects/deals')
  owner.lastName = 'Alvarez Ruiz'
  owner.teams[1]!.name = 'Projects'
  roof.options[0]!.label = 'Clay tile'
  await source.read()
  expect(await source.stored(deal)).toMatchObject({
    owner: { lastName: 'Alvarez Ruiz' },
    roofType: 'Clay tile',
    dealer: 'Projects',
  })
  // A stage is compared in another way than the other labels.
  crm.pipelines[0]!.stages[2]!.label = 'Install Planned'
  await source.read()
  expect(await source.stored(deal)).toMatchObject({ stage: 'Install Planned', stageId: '1002' })
})

test('removes characters that a database cannot store', async () => {
  const dealers = property('dealers', 'Dealer', 'enumeration', 'select', [['d1', 'Ac\0me']])
  crm.owners.push({ id: '88', firstName: 'Ki\0m', lastName: 'Lee', archived: true })
  crm.pipelines[0]!.stages.push({ id: '9', label: 'HOA\0 Review', displayOrder: 9, metadata: {} })
  const mapping = {
    dealname: 'dealname',
    city: 'city',
    owner: 'hubspot_owner_id',
    stageId: 'dealstage',
  } as const
  await connectWith([dealers], mapping, 'dealers')
  const deal = crm.create({
    dealname: 'Lopez\0, Ana 🏠',
    city: 'Mesa\ud83d',
    dealers: 'd1',
    hubspot_owner_id: '88',
    dealstage: '9',
  })
  expect(await source.read()).toMatchObject({ problem: null, created: 1 })
  expect(await source.stored(deal)).toMatchObject({
    dealname: 'Lopez, Ana 🏠',
    city: 'Mesa\ufffd',
    owner: { firstName: 'Kim' },
    stage: 'HOA Review',
  })
  expect(await readUnknownPartners(database.db, source.id, 9)).toMatchObject([{ value: 'Acme' }])
  dealers.options[0]!.label = 'Ac\0me Inc.'
  expect(await source.read()).toMatchObject({ problem: null })
  expect(await problems()).toEqual([])
})

test('a deal keeps the name of its stage after the stage or pipeline is deleted', async () => {
  const mapping = { city: 'city', stageId: 'dealstage', pipelineId: 'pipeline' } as const
  const stage = { id: '31', label: 'Design', displayOrder: 0, metadata: {} }
  crm.pipelines.push({ id: 'old', label: 'Commercial', displayOrder: 1, archived: false, stages: [stage] })
  await connectWith([], mapping)
  const [moved, archived] = [
    crm.create({ dealstage: '1001' }),
    crm.create({ pipeline: 'old', dealstage: '31' }),
  ]
  await source.read()
  crm.pipelines[0]!.stages = crm.pipelines[0]!.stages.filter(({ id }) => id !== '1001')
  crm.pipelines.pop()
  for (const deal of [moved, archived]) crm.change(deal, { city: 'Mesa' })
  expect(await source.compare()).toMatchObject({ problem: null })
  expect(await source.stored(moved)).toMatchObject({ stage: 'Permit Submitted', city: 'Mesa' })
  expect(await source.stored(archived)).toMatchObject({
    stage: 'Design',
    pipeline: 'Commercial',
    city: 'Mesa',
  })
})

test('reads responses with null fields, and with numbers in place of strings', async () => {
  crm.owners.push({
    id: 77,
    email: null,
    firstName: 'Jo',
    userId: null,
    archived: false,
    teams: [{ id: 5, name: null }],
  })
  crm.properties.push(
    {
      name: 'color',
      label: null,
      type: 'enumeration',
      options: [{ value: 'a', label: null }, { value: null }],
    },
    { name: 'map', label: 'Map', type: 'object_coordinates', fieldType: null, options: null },
  )
  Object.assign(crm.pipelines[0]!.stages[0]!, { displayOrder: null, metadata: null })
  await connectWith([], { city: 'color', owner: 'hubspot_owner_id', stageId: 'dealstage', amount: 'amount' })
  const deal = crm.create({ color: 'a', hubspot_owner_id: '77', amount: 5 as never, hs_lastmodifieddate: '' })
  expect(await source.read()).toMatchObject({ problem: null, created: 1 })
  expect(await source.stored(deal)).toMatchObject({ city: 'a', owner: { firstName: 'Jo' }, amount: 5 })
})

test("deals wait while HubSpot temporarily fails to return the company's currency", async () => {
  await connectWith([], { amount: 'amount' })
  const path = '/account-info/v3/details'
  crm.fault = (at) => (at === path ? { status: 502, body: '<html>' } : undefined)
  const deal = crm.create({ amount: '100', deal_currency_code: 'USD' })
  expect(await source.read()).toMatchObject({ problem: 'HubSpot responded with 502.' })
  expect(await source.stored(deal)).toBeUndefined()
  crm.fault = (at) => (at === path ? { status: 403, body: '{}' } : undefined)
  expect(await source.read()).toMatchObject({ problem: null })
  expect(await source.stored(deal)).toMatchObject({ amount: 100 })
})

test('reports a URL that is not a HubSpot API', async () => {
  await connectWith([], { city: 'city' })
  crm.fault = () => ({ status: 404, body: '<html>Not found</html>' })
  expect((await source.read()).problem).toMatch(/^HubSpot responded with 404/)
})
