import { describe, expect, test } from 'vitest'
import { readTable } from '#e2e/read-table.ts'

/** Returns the stage of each deal in a CSV file, by id. */
async function stagesOf(text: string) {
  const { rows } = await readTable(text)
  return Object.fromEntries(rows.map(({ id, stage = null }) => [String(id), stage]))
}

const [mia, tom, al, jo] = [900100001, 900100002, 900100003, 900100004]
const stages = { [mia]: 'CAD Design', [tom]: 'CAD Design', [al]: 'Permit', [jo]: 'Permit' }

describe('in a grouped table, deals get the stage', () => {
  test.each([
    [
      'of the row above that states it',
      `Deal ID,Customer,Amount
Stage: CAD Design (2 records),,
${mia},Mia,5
${tom},Tom,6
Stage: Permit (2 records),,
${al},Al,7
${jo},Jo,8
Grand Total (4 records),,26
`,
    ],
    [
      'of the group in a Salesforce report with subtotals',
      `Stage  ↑,Opportunity ID Number,Deal ID,Opportunity Name,Amount
CAD Design (2),,${mia},Mia,5
,,${tom},Tom,6
Subtotal,,,,11
Permit (2),,${al},Al,7
,,${jo},Jo,8
Subtotal,,,,15
Total,,,,26
`,
    ],
    [
      'of a group row with sum and count',
      `Stage,Deal ID,Customer,Amount
CAD Design (2 records),,,11
,${mia},Mia,5
,${tom},Tom,6
Permit (2 records),,,15
,${al},Al,7
,${jo},Jo,8
`,
    ],
    [
      'of the first row of the group, as in a pivot table',
      `Stage,Deal ID,Customer\nCAD Design,${mia},Mia\n,${tom},Tom\nPermit,${al},Al\n,${jo},Jo\n`,
    ],
    [
      'of a group within a group',
      `Dealer,Stage,Deal ID,Customer
Brightroof,CAD Design,${mia},Mia
,,${tom},Tom
,Permit,${al},Al
Sunline,Permit,${jo},Jo
`,
    ],
    [
      'of a group row above the titles',
      `Stage: CAD Design (2 records),
Deal ID,Customer
${mia},Mia
${tom},Tom
Stage: Permit (2 records),
${al},Al
${jo},Jo
`,
    ],
    [
      'of rows with only words that look like stages',
      `Deal ID,Customer,Amount\nCAD Design,,\n${mia},Mia,5\n${tom},Tom,6\nPermit,,\n${al},Al,7\n${jo},Jo,8\n`,
    ],
    [
      'of the group on a board with titles below each group',
      `Solar

CAD Design
Name,Deal ID,Contract
Mia,${mia},5
Tom,${tom},6

Permit
Name,Deal ID,Contract
Al,${al},7
Jo,${jo},8
`,
    ],
  ])('%s', async (_what, text) => expect(await stagesOf(text)).toEqual(stages))

  test('and the names of groups on several levels', async () => {
    const { rows } = await readTable(
      `Deal ID,Customer
State: AZ
Stage: Permit (1)
${mia},Mia
Stage: CAD (1)
${tom},Tom
State: NM
${al},Al
`,
    )
    expect(rows).toMatchObject([
      { state: 'AZ', stage: 'Permit' },
      { state: 'AZ', stage: 'CAD' },
      { state: 'NM', stage: null },
    ])
  })

  test('with the group in a column title and among the skipped rows', async () => {
    const { table, mapping } = await readTable(
      `Stage,Deal ID,Customer\nCAD Design,${mia},Mia\n,${tom},Tom\n,${al},Al\n`,
    )
    expect(table.columns.map(({ title }) => title)).toContain('Stage (filled down)')
    expect(mapping).toMatchObject({ Stage: '', 'Stage (filled down)': 'stage' })
    const headings = await readTable(`Deal ID,Customer\nStage: Permit (1),\n${mia},Mia\n`)
    expect(headings.table.skipped).toMatchObject([{ kind: 'group', count: 1 }])
  })
})

describe('a table does not count as grouped', () => {
  test.each([
    ['where a column is sometimes empty', `Stage,Deal ID\nCAD,${mia}\n,${tom}\nCAD,${al}\n,${jo}\n`],
    ['where its first row has no value', `Stage,Deal ID\n,${mia}\nCAD,${tom}\n,${al}\n,${jo}\n`],
    ['where each row has a value', `Customer,Deal ID\nMia,${mia}\nTom,${tom}\nAl,${al}\nJo,${jo}\n`],
    ['by its notes', `Notes,Deal ID\ncall,${mia}\n,${tom}\n,${al}\n,${jo}\n`],
    ['by one remark', `Deal ID,Customer\nAll deals of March,\n${mia},Mia\n${tom},Tom\n`],
    [
      'by remarks between deals',
      `Deal ID,Customer\n${mia},Mia\nCall them first,\n${tom},Tom\nAsk Al too,\n${al},Al\n`,
    ],
  ])('%s', async (_what, text) => {
    const { table } = await readTable(text)
    expect(table.columns.filter(({ title }) => /Group|filled/.test(title))).toEqual([])
  })

  test('by names that are not stages, without asking', async () => {
    const { rows, table } = await readTable(`Deal ID,Customer\nAnn Reed,\n${mia},Mia\nBo Lang,\n${tom},Tom\n`)
    expect(rows[0]).toEqual({ id: BigInt(mia), dealname: 'Mia' })
    expect(table.columns.find(({ title }) => title === 'Group')?.examples).toEqual(['Ann Reed', 'Bo Lang'])
  })
})
