import { expect, test } from 'vitest'
import { readTable } from '#e2e/read-table.ts'

// Tests sample exports as other programs write them.

test.each<[program: string, text: string, deals: Record<string, unknown>[]]>([
  [
    'HubSpot, with the pipeline after each stage',
    'Record ID,Deal Name,Deal Stage,Pipeline\n900100001,Mia,Permit (Solar Pipeline),Solar Pipeline\n900100002,Al,Permit (AZ),Solar Pipeline\n',
    [{ stage: 'Permit', pipeline: 'Solar Pipeline' }, { stage: 'Permit (AZ)' }],
  ],
  [
    'a pivot table of Excel',
    'Row Labels,Deal ID,Customer,Sum of Amount\nPermit,900100001,Mia,5\n,900100002,Al,6\nPermit Total,,,11\nInstall,900100003,Jo,7\nInstall Total,,,7\nGrand Total,,,18\n',
    [
      { stage: 'Permit', amount: 5 },
      { stage: 'Permit', amount: 6 },
      { stage: 'Install', amount: 7 },
    ],
  ],
  [
    'a pivot table with a group that has no name',
    'Stage,Customer,Deal ID\nPermit,,\n,Mia,900100001\n(blank),,\n,Al,900100002\n',
    [
      { dealname: 'Mia', stage: 'Permit' },
      { dealname: 'Al', stage: null },
    ],
  ],
  [
    'Google Sheets, with the system in words and its size',
    'Job #,Customer,System,kW\n2041,Mia,Q.Cells 400 x 22,8.8\n',
    [{ dealname: 'Mia', systemSize: '8.8' }],
  ],
  [
    'Excel, with phones as numbers',
    'Deal ID,Name,Cell\n900100001,Mia,6.025550147E9\n900100002,Al,6.03E+09\n',
    [{ primaryPhone: '6025550147' }, { primaryPhone: '?' }],
  ],
  [
    'Asana',
    'Task ID,Created At,Name,Section/Column\n1204567890123456,2026-01-09,Mia,Permitting\n',
    [{ dealname: 'Mia', stage: 'Permitting' }],
  ],
  [
    'people with their addresses',
    'Deal ID,Permit Coordinator,Deal Owner\n900100001,Lee Kim <lee@acme.example>,Unassigned\n',
    [{ owner: null, permitCoordinator: { firstName: 'Lee', lastName: 'Kim', email: 'lee@acme.example' } }],
  ],
  [
    'GoodLeap',
    'Loan ID,Deal ID,Applicant,Milestone,Install Complete\n7,900100001,Mia,M1 Funded,No\n',
    [{ dealname: 'Mia', stage: 'M1 Funded', installCompleted: false }],
  ],
  [
    'Trello',
    'Card ID,Card Name,List Name\n900100001,Mia,Permitting\n',
    [{ dealname: 'Mia', stage: 'Permitting' }],
  ],
  [
    'Enphase',
    'System ID,System Name,System Status,City\n4500123,Mia Ortiz,Normal,Mesa\n',
    [{ id: 4500123n, dealname: 'Mia Ortiz', stage: 'Normal' }],
  ],
  [
    'QuickBooks, with its basis at the end',
    'Num,Customer,Amount\n900100001,Mia,5\n\nAccrual Basis Tuesday, April 07, 2026 08:00 AM\n',
    [{ dealname: 'Mia', amount: 5 }],
  ],
  [
    'a dealer, with short titles and phrases for flags',
    'Deal ID,First,Last,Loan Amt,HOA Required,Permit Required,Install Completed\n900100001,Mia,Ortiz,"$5",No HOA,Not required,Done\n900100002,Al,Webb,,Yes - Sunrise HOA,Required,Not yet\n',
    [
      { firstName: 'Mia', loanAmount: '$5', hasHoa: false, permitRequired: false, installCompleted: true },
      { lastName: 'Webb', hasHoa: true, permitRequired: true, installCompleted: false },
    ],
  ],
  [
    'Podio, with the parts of an address',
    'Podio Item ID,Title,Contract Price - amount,Address - Street,Address - Postal Code\n2201,Mia,5,12 Oak St,85203\n',
    [{ id: 2201n, dealname: 'Mia', amount: 5, streetAddress: '12 Oak St', zipCode: '85203' }],
  ],
  [
    'ClickUp, with ids of its own and one inverter each',
    'Task ID,Task Custom ID,Task Name,Inverters\n86a1,1041,Mia,1\n86a2,1042,Al,1\n',
    [{ id: 1041n, dealname: 'Mia', numberOfInverters: '1' }, { id: 1042n }],
  ],
  [
    'Notion, with a number for the job',
    'Name,Job,Lead Value\nMia,1041,"$5.00"\n',
    [{ id: 1041n, dealname: 'Mia', amount: 5 }],
  ],
  [
    'a sales log by hand',
    'Contract #,Cust Name,St,Contract USD,Adders PPW,Finance Co\n1041,Mia,AZ,30360,$0.40,Mosaic\n',
    [{ id: 1041n, dealname: 'Mia', amount: 30360, adderPpw: '$0.40', lender: 'Mosaic' }],
  ],
  [
    'Smartsheet, with parent rows',
    'Job Name,Job #,Status,Contract,Start,% Complete\nPermitting,,,11,3/1/2026,45%\nMia,1041,Submitted,5\nAl,1042,In review,6\nInstall,,,7,,\nJo,1043,Scheduled,7\n',
    [{ stage: 'Submitted' }, { stage: 'In review' }, { dealname: 'Jo', stage: 'Scheduled' }],
  ],
  [
    'Smartsheet, with indented rows',
    'Task Name,Deal ID,Status\nBrightroof,,In progress\n  Mia,900100001,Permit\n  Al,900100002,Install\n',
    [
      { dealname: 'Mia', stage: 'Permit' },
      { dealname: 'Al', stage: 'Install' },
    ],
  ],
])('the export of %s is imported as its deals', async (_program, text, deals) => {
  const { rows } = await readTable(text)
  expect(rows).toHaveLength(deals.length)
  expect(rows).toMatchObject(deals)
})

test("skips the full address in this portal's own export, because other fields contain it", async () => {
  const { rows } = await readTable('Deal,Full address,Deal ID\nMia,"1 Oak St, Mesa, AZ 85203",900100001\n')
  expect(rows.map((row) => Object.keys(row))).toEqual([['dealname', 'id']])
})
