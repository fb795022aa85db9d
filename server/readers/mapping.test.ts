import { describe, expect, test } from 'vitest'
import { ColumnTally } from '../values/column.ts'
import type { SourceColumn } from './file-source.ts'
import { completeMapping, fieldOf, headerKey, lossesOf, mappingProblem, suggestMapping } from './mapping.ts'

function column(title: string, ...values: string[]): SourceColumn {
  const tally = new ColumnTally()
  for (const value of values) tally.add(value)
  return { title, examples: values.slice(0, 3), tally, dates: values }
}

const titled = (...titles: string[]) => titles.map((title) => column(title))

test('suggests columns by name', () => {
  expect(
    suggestMapping([
      column('Deal ID'),
      column('Street Address'),
      column('ZIP'),
      column('Owner E-mail'),
      column('Sales Rep'),
      column('stage'),
      column('Status'),
      column('Color'),
      column('__proto__'),
      column('constructor'),
    ]),
  ).toEqual({
    'Deal ID': 'id',
    'Street Address': 'streetAddress',
    ZIP: 'zipCode',
    'Owner E-mail': 'owner.email',
  })
})

test('suggests typed columns by content alone', () => {
  expect(
    suggestMapping([
      column('Nummer', '20411000193', '20411000194'),
      column('Ort', '33.4484,-112.0740'),
      column('Land', 'AZ', 'NV'),
      column('Sonst', 'AZ'),
    ]),
  ).toEqual({ Nummer: 'id', Ort: 'coordinates', Land: 'state' })
  expect(suggestMapping([column('id', '1'), column('Nummer', '20411000193')])).toEqual({})
})

test('a mapping requires exactly one id, and each field at most once', () => {
  expect(mappingProblem(titled('Job #', 'Customer'), { Customer: 'dealname' })).toBe(
    'No column is read as the deal\'s id. Name it "id" or "Deal ID". Columns found: Job #, Customer.',
  )
  expect(mappingProblem(titled('id', 'a', 'b'), { a: 'stage', b: 'stage' })).toMatch(/stage/)
  expect(mappingProblem(titled('id', 'a', 'b'), { a: '', b: '' })).toBeNull()
  expect(mappingProblem(titled('id', 'stage'), { id: '' })).toMatch(/id/)
})

test('names ids that are not whole numbers', () => {
  const columns = [column('Opportunity ID', '006Qx00000ABCDEFGH'), column('Name', 'Ortiz, Mia')]
  expect(mappingProblem(columns, suggestMapping(columns))).toBe(
    'No column is read as the deal\'s id. Values of "Opportunity ID" such as “006Qx00000ABCDEFGH” are not whole ' +
      'numbers. Add a column with a whole number for each deal, such as an auto-number field. Name it "id" or "Deal ID". Columns found: Opportunity ID, Name.',
  )
})

test('does not read a number of jobs as a job number', () => {
  const columns = [column('Job #', 'JOB-1042'), column('Customer', 'Ortiz, Mia')]
  expect(suggestMapping(columns)).toEqual({ Customer: 'dealname' })
  expect(mappingProblem(columns, {})).toContain('Values of "Job #" such as “JOB-1042” are not whole numbers.')
})

test.each([
  ['System Size (STC) kW', '8.36', 'systemSize'],
  ['System Size (W)', '8400', 'systemSize'],
  ['Size kWdc', '8.4', 'systemSize'],
  ['array_size_watts', '8,400 W', 'systemSize'],
  ['Price per W', '3.65', undefined],
  ['Module Name', 'REC400AA', 'moduleType'],
  ['Base System Price', '$30,514.00', 'amount'],
  ['Approved Estimate Total', '$30,514.00', 'amount'],
  ['ppw_gross', '3.65', 'totalPpw'],
  ['System ID', '1041', 'id'],
  ['Autonumber', '1041', 'id'],
  ['Peak Power (kWp)', '8.36', 'systemSize'],
  ['# of Modules', '22', 'numberOfModules'],
  ['Phone #', '602-555-0147', 'primaryPhone'],
  ['Job #', '#81301', 'id'],
  ["Permit Req'd", 'Y', 'permitRequired'],
  ['Loan #', '00123', undefined],
  ['Customer #', 'C-17', undefined],
])('reads the column %s by its values as the field %s', (title, value, field) =>
  expect(suggestMapping([column(title, value)])[title]).toBe(field),
)

test('files with the same titles in any order have the same key', () => {
  const keyOf = (...titles: string[]) => headerKey(titles.map((title) => ({ title })))
  expect(keyOf('a', 'b')).toBe(keyOf('b', 'a'))
  expect(keyOf('a,b')).not.toBe(keyOf('a', 'b'))
  expect(headerKey([{ title: 'a', hidden: true }])).not.toBe(keyOf('a'))
})

test('a yes/no column maps to a flag and a count column to a number, not to a text field with a similar name', () => {
  expect(
    suggestMapping([column('Battery', 'yes', 'No'), column('HOA', 'Y'), column('Modules', '22')]),
  ).toEqual({
    Battery: 'hasBattery',
    HOA: 'hasHoa',
    Modules: 'numberOfModules',
  })
  expect(
    suggestMapping([
      column('Battery', 'no', 'no', 'no', 'no', 'no', 'no', 'Tesla Powerwall 3'),
      column('HOA'),
      column('Modules', 'Q.PEAK 400'),
    ]),
  ).toEqual({ Battery: 'battery', HOA: 'hoaName', Modules: 'moduleType' })
})

test('a title may contain the time zone of its column', () => {
  expect(suggestMapping([column('Permit received (America/Phoenix)'), column('Updated (by hand)')])).toEqual({
    'Permit received (America/Phoenix)': 'permitReceived',
  })
})

test('a remark in parentheses or brackets is not part of the title of an id or text field', () => {
  expect(
    suggestMapping([
      column('Record ID (numeric)', '11223301'),
      column('Customer Name (from Contacts)', 'Ortiz, Mia'),
      column('Amount (paid)', '$500.00'),
      column('Stage [Residential]', 'NTP'),
    ]),
  ).toEqual({
    'Record ID (numeric)': 'id',
    'Customer Name (from Contacts)': 'dealname',
    'Stage [Residential]': 'stage',
  })
})

test('columns with unreadable values keep the field of their title', () => {
  expect(
    suggestMapping([
      column('Deal ID', 'JOB-7', '900100801', 'JOB-9'),
      column('Permit Submitted', 'Mar 4', '3/5'),
      column("Permit Rec'd", 'week 10'),
      column('Install completed', '4-Mar'),
      column('Contract $', '30.5k', '~950'),
      column('Has a battery', 'perhaps'),
      column('Customer', '1041', '1042'),
      column('Sold', 'yes', 'no'),
    ]),
  ).toEqual({
    'Deal ID': 'id',
    'Permit Submitted': 'permitSubmitted',
    "Permit Rec'd": 'permitReceived',
    'Install completed': 'installComplete',
    'Contract $': 'amount',
    'Has a battery': 'hasBattery',
  })
})

test('a column named id without numbers leaves the id to another column', () => {
  const columns = [column('id', 'recA1'), column('Job Number', '1041')]
  expect(suggestMapping(columns)).toEqual({ id: '', 'Job Number': 'id' })
  expect(suggestMapping([column('id', 'recA1'), column('Customer', 'Mia')])).toEqual({ Customer: 'dealname' })
})

test('an id column needs a title if nobody confirms the mapping', () => {
  const columns = [column('Nummer', '20411000193'), column('Ort', 'AZ')]
  expect(suggestMapping(columns, false)).toEqual({ Ort: 'state' })
})

test('does not suggest hidden or untitled columns', () => {
  const columns = [
    { ...column('Notes', 'internal'), hidden: true as const },
    { ...column('Column E', 'AZ'), untitled: 'E2' },
  ]
  expect(suggestMapping(columns)).toEqual({ Notes: '' })
})

test.each<[title: string, field: string, ...values: string[]]>([
  ['Customer Name', 'dealname', 'Ortiz, Mia'],
  ['Homeowner Name', 'dealname', 'Ortiz, Mia'],
  ['Contract $', 'amount', '$18,400.00'],
  ['Amount ($)', 'amount', '18400'],
  ['ST', 'state', 'AZ'],
  ['Mailing State/Province', 'state', 'Arizona'],
  ['Permit Recd Date', 'permitReceived', '4/5/2026'],
  ['Date Permit Approved', 'permitReceived', '4/5/2026'],
  ['Permit Submission Date', 'permitSubmitted', '4/5/2026'],
  ['Site Survey Complete', 'siteSurveyCompleted', '4/5/2026'],
  ['Current Status', 'stage', 'Permit'],
  ['Date Sold', 'createDate', '4/5/2026'],
  ['Job #', 'id', '10421', '10422'],
  ['Record ID', 'id', '20411000193.0'],
  ['System Size (kW)', 'systemSize', '8.8'],
  ['Panels', 'numberOfModules', '22'],
  ['Panels', 'moduleType', 'Q.PEAK 400'],
  ['Mobile Phone', 'primaryPhone', '(602) 555-0147'],
  ['Customer Phone', 'primaryPhone', '6025550147'],
  ['Finance Company', 'lender', 'GoodLeap'],
  ['Install Address', 'streetAddress', '1 Palm Ln'],
  ['Site City', 'city', 'Mesa'],
  ['Zip/Postal Code', 'zipCode', '85003'],
  ['Deal Owner', 'owner.name', 'Ana Kim'],
])('reads the column %s as %s', (title, field, ...values) =>
  expect(suggestMapping([column(title, ...values)])).toEqual({ [title]: field }),
)

test.each<[title: string, ...values: string[]]>([
  ['Install Status', 'Scheduled'],
  ['Email', 'mia@x.example'],
  ['AHJ', 'City of Mesa'],
  ['Customer', '4/5/2026'],
  ['Amount', 'ask Jo'],
  ['Permit Received', 'yes'],
  ['Customer ID', '12345678x'],
])('maps the column %s with %j to no field', (title, ...values) =>
  expect(suggestMapping([column(title, ...values)])).toEqual({}),
)

test('of two columns for one field, prefers fitting values, then the likelier title', () => {
  expect(
    suggestMapping([column('Status'), column('Project Status', 'Permit'), column('Phase', 'x')]),
  ).toEqual({ 'Project Status': 'stage' })
  expect(suggestMapping([column('Status', 'Permit'), column('Stage', 'NTP')])).toEqual({ Stage: 'stage' })
  expect(suggestMapping([column('Date Sold', '4/5/2026'), column('Created', '4/1/2026')])).toEqual({
    Created: 'createDate',
  })
  expect(suggestMapping([column('Stage', '4/5/2026'), column('Stage (2)', 'NTP')])).toEqual({
    'Stage (2)': 'stage',
  })
  expect(suggestMapping([column('stage'), column('Status', 'NTP')])).toEqual({})
})

describe('the losses of a mapping', () => {
  const losses = (columns: SourceColumn[], mapping = suggestMapping(columns)) =>
    lossesOf(
      columns,
      mapping,
      columns.map((each) => fieldOf(each, mapping)),
    )
  const columns = [column('id', '1'), column('AHJ', 'Mesa', '', 'Tempe'), column('Empty', '', 'N/A')]

  test('are columns with values that nobody chose to ignore, and a missing name or stage', () => {
    expect(losses(columns)).toEqual({
      lost: [{ title: 'AHJ', filled: 2, examples: ['Mesa', '', 'Tempe'] }],
      lacks: ['name', 'stage'],
    })
    expect(losses(columns, { AHJ: '' }).lost).toEqual([])
    expect(losses([...columns, column('Last Name'), column('Stage')]).lacks).toEqual([])
    // Programs that write updates use field names as titles.
    expect(losses([column('id', '1'), column('amount', '5')]).lacks).toEqual([])
  })
})

test('a title shared by a flag and a time means the time if the column contains dates', () => {
  const title = 'Install completed'
  expect(suggestMapping([column(title, '2026-03-01')])).toEqual({ [title]: 'installComplete' })
  expect(suggestMapping([column(title, 'yes')])).toEqual({ [title]: 'installCompleted' })
  expect(suggestMapping([column(`${title} (UTC)`)])).toEqual({ [`${title} (UTC)`]: 'installComplete' })
})

describe('an ambiguous title', () => {
  const complete = (columns: SourceColumn[], mapping = {}, dayFirst = false) =>
    completeMapping(columns, mapping, { today: '2026-03-01', dayFirst: dayFirst || null })

  test('requires a decision, and is ignored until then', () => {
    for (const title of ['Rep', 'Sales Rep', 'sales rep name']) {
      const columns = [column('id', '1'), column(title, 'Ana Kim')]
      expect(suggestMapping(columns)).toEqual({})
      expect(complete(columns)).toEqual({
        mapping: { [title]: '' },
        open: [{ title, fields: ['closerName', 'owner.name'] }],
      })
    }
  })

  test('is most likely ignored if the likeliest person lacks the field', () => {
    expect(complete([column('Rep Email', 'a@x.example')]).open).toEqual([
      { title: 'Rep Email', fields: ['', 'owner.email'] },
    ])
    expect(complete([column('Rep Email'), column('owner.email')])).toEqual({
      mapping: { 'Rep Email': '' },
      open: [],
    })
  })

  test('is resolved once its column is mapped or ignored', () => {
    const columns = [column('Rep', 'Ana Kim')]
    for (const field of ['owner.name', ''])
      expect(complete(columns, { Rep: field })).toEqual({ mapping: { Rep: field }, open: [] })
  })

  test('does not offer a field that another column already uses', () => {
    expect(complete([column('Rep'), column('Closer')], { Closer: 'closerName' }).open).toEqual([
      { title: 'Rep', fields: ['owner.name'] },
    ])
    expect(complete([column('Rep'), column('closerName')]).open).toEqual([
      { title: 'Rep', fields: ['owner.name'] },
    ])
  })

  test.each([
    [['2026-03-01', '3/20/2026'], null],
    [
      ['2026-02-28', '2/1/2026'],
      ['installComplete', 'installedScheduled'],
    ],
    [
      ['2026-02-28', '3/20/2026'],
      ['installedScheduled', 'installComplete'],
    ],
    [[], ['installComplete', 'installedScheduled']],
  ])('depends on whether the install dates %j are in the future', (days, fields) => {
    const title = 'Install Date'
    expect(complete([column(title, ...days)])).toEqual(
      fields === null
        ? { mapping: { [title]: 'installedScheduled' }, open: [] }
        : { mapping: { [title]: '' }, open: [{ title, fields }] },
    )
  })

  test('depends on the order of day and month for install dates', () => {
    const columns = [column('Install Date', '4/1/2026')]
    expect(complete(columns).mapping).toEqual({ 'Install Date': 'installedScheduled' })
    expect(complete(columns, {}, true).mapping).toEqual({ 'Install Date': '' })
  })
})
