import { describe, expect, test } from 'vitest'
import { readRecords } from '#e2e/read-table.ts'
import { scratch } from '#e2e/scratch.ts'
import { zip } from '#e2e/workbook.ts'
import type { FileSource, Mapping } from './file-source.ts'
import { suggestMapping } from './mapping.ts'
import { openSource } from './open-source.ts'

const { write } = scratch()

const sheetOf = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`

/** Returns a workbook whose first sheet has these rows. */
const workbook = (rows: string, more: Record<string, string | Buffer> = {}) =>
  zip({
    'xl/workbook.xml':
      '<workbook><sheets><sheet name="Old" state="hidden" r:id="rId9"/><sheet name="Older" state="veryHidden" r:id="rId8"/><sheet name="Deals &amp; more" state="visible" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet7.xml"/></Relationships>',
    'xl/worksheets/sheet7.xml': sheetOf(rows),
    ...more,
  })

async function open(content: Buffer) {
  const path = await write(content)
  return openSource(path, `${path}.rows`)
}

/** Returns the records of all rows by row number. */
async function readRows(source: FileSource, mapping: Mapping = {}) {
  const { source: mapped } = await source.mapped!(mapping)
  return (await readRecords(mapped)).map(({ line, value }) => [line, value])
}

const read = async (content: Buffer) => readRows(await open(content))

describe('a workbook', () => {
  test('is read from its first visible sheet: text, numbers, dates and flags', async () => {
    const rows = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>stage</t></is></c><c r="D1" t="s"><v>1</v></c></row>
      <row r="3"><c r="A3"><v>2.0411000193E10</v></c><c r="B3" t="str"><v>a "b"</v></c><c r="C3" t="b"><v>1</v></c><c r="D3" s="1"><v>46082</v></c><c r="F3"/></row>
      <row><c><v>5</v></c><c t="inlineStr"><is><r><t>x </t></r><r><t>y</t></r></is></c></row>`
    const source = await open(
      workbook(rows, {
        'xl/sharedStrings.xml':
          '<sst><si><t>id</t></si><si><r><t>permit</t></r><r><t>Submitted</t></r></si></sst>',
        'xl/styles.xml':
          '<styleSheet><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
      }),
    )
    expect(source.sheets).toMatchObject({ chosen: 'Deals & more', all: ['Deals & more'] })
    expect(await readRows(source)).toEqual([
      [3, { id: 20411000193n, stage: 'a "b"', permitSubmitted: '2026-03-01T00:00:00.000Z' }],
      [4, { id: 5n, stage: 'x y', permitSubmitted: null }],
    ])
  })

  test('is read with XML prefixes, 1904 dates and unusual part names', async () => {
    // Tests Excel's strict format, and the web version of Excel, which names the workbook `workbook2.xml`.
    const content = zip({
      '_rels/.rels':
        '<Relationships><Relationship Id="a" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="/xl/workbook2.xml"/></Relationships>',
      'xl/workbook2.xml':
        '<x:workbook xmlns:x="a"><x:workbookPr date1904="1"/><x:sheets><x:sheet name="Chart" ns:id="c"/><x:sheet name="Deals" sheetId="1" ns:id="d"/></x:sheets></x:workbook>',
      'xl/_rels/workbook2.xml.rels':
        '<Relationships><Relationship Id="c" Type="x/chartsheet" Target="chartsheets/sheet1.xml"/><Relationship Id="d" Type="x/worksheet" Target="worksheets/sheet7.xml"/><Relationship Id="s" Type="x/styles" Target="other.xml"/></Relationships>',
      'xl/other.xml': '<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>',
      'xl/worksheets/sheet7.xml':
        '<x:worksheet xmlns:x="a"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>id</x:t></x:is></x:c><x:c t="inlineStr"><x:is><x:t>createDate</x:t></x:is></x:c></x:row><x:row><x:c t="str"><x:v>7</x:v></x:c><x:c s="0"><x:v>44620</x:v></x:c></x:row></x:sheetData></x:worksheet>',
    })
    expect(await read(content)).toEqual([[2, { id: 7n, createDate: '2026-03-01T00:00:00.000Z' }]])
  })

  test.each([
    ['is not an archive', Buffer.from('PK\x03\x04 and nothing'), /damaged or incomplete/],
    ['is an archive of something else', zip({ 'a.txt': 'a' }), /ZIP archive contains a\.txt/],
    [
      'has a row number beyond the limit',
      workbook('<row r="99999999"><c><v>1</v></c></row>'),
      /a row with the number 99999999/,
    ],
    ['is not XML', workbook('<row><c'), /damaged/],
    ['defines XML entities', workbook('<row><c t="str"><v>&bomb;</v></c></row>'), /damaged/],
    ['is deeply nested', workbook('<a>'.repeat(200)), /damaged/],
    ['has an endless text', workbook('a'.repeat(3_000_000)), /damaged/],
    [
      'repeats a long text',
      workbook(`<row>${'<c t="s"><v>0</v></c>'.repeat(900)}</row>`, {
        'xl/sharedStrings.xml': `<sst><si><t>${'x'.repeat(30_000)}</t></si></sst>`,
      }),
      /row 1 is longer than 262144 characters/,
    ],
    [
      'is a ZIP bomb',
      workbook('', { 'xl/sharedStrings.xml': Buffer.alloc(70 * 1024 * 1024, ' ') }),
      /too large: its part xl\/sharedStrings.xml takes 70 MB, and at most 64 MB are read/,
    ],
  ])('is rejected with the reason if it %s', async (_what, content, words) => {
    await expect(read(content)).rejects.toThrow(words)
  })

  test('is rejected if it declares a wrong size, whatever its content', async () => {
    const content = workbook('', { 'xl/sharedStrings.xml': Buffer.alloc(80 * 1024 * 1024, ' ') })
    const size = Buffer.alloc(4)
    size.writeUInt32LE(80 * 1024 * 1024)
    const lie = Buffer.alloc(4)
    lie.writeUInt32LE(1000)
    for (let at = content.indexOf(size); at >= 0; at = content.indexOf(size)) lie.copy(content, at)
    await expect(read(content)).rejects.toThrow(/damaged/)
  })
})

const text = (value: string, at = '') => `<c ${at} t="inlineStr"><is><t>${value}</t></is></c>`
const relations = (content: string) => ({
  'xl/worksheets/_rels/sheet7.xml.rels': `<Relationships>${content}</Relationships>`,
})

/** Returns the titles of a workbook, then the cells of its rows as read. */
async function cellsOf(content: Buffer, mapping: Mapping = {}) {
  const source = await open(content)
  const rows = []
  for await (const { raw } of (await source.mapped!(mapping)).source.items())
    rows.push(rows.length === 0 ? [source.titlesOf(raw), source.cellsOf(raw)] : [source.cellsOf(raw)])
  return rows.flat()
}

describe('an empty cell', () => {
  test.each([
    ['with only a style', '<c r="XFD2" s="1"/>'],
    ['with an empty formula result', '<c r="ALM2" t="str"><f>IF(A2="","x","")</f><v></v></c>'],
    ['with an empty text', '<c r="C2" t="s"><v>0</v></c><c r="D2" t="inlineStr"><is><t/></is></c>'],
    ['with spaces of any kind', text(' \u00a0\u202f\u200b\ufeff ', 'r="C2"')],
  ])('creates no column: %s', async (_what, cell) => {
    const styled = Array.from({ length: 1200 }, () => '<c s="1"/>').join('')
    const rows = `<row r="1">${text('id')}${text('stage')}${styled}</row><row r="2" s="1" customFormat="1"><c><v>7</v></c>${text('NTP')}${cell}</row><row r="3">${styled}</row>`
    const content = workbook(rows, { 'xl/sharedStrings.xml': '<sst><si><t></t></si></sst>' })
    expect(await cellsOf(content)).toEqual([
      ['id', 'stage'],
      ['7', 'NTP'],
    ])
  })

  test('clears a date', async () => {
    const rows = `<row>${text('id')}${text('permitReceived')}${text('stage')}</row><row><c><v>7</v></c>${text('\u00a0 ')}${text('NTP')}</row>`
    expect(await read(workbook(rows))).toEqual([[2, { id: 7n, permitReceived: null, stage: 'NTP' }]])
  })
})

test('percentages are not amounts, rounded cells keep their value, and struck-through rows are listed', async () => {
  const source = await open(
    workbook(
      `<row>${text('id')}${text('amount')}${text('systemSize')}${text('numberOfModules')}</row><row><c><v>7</v></c><c s="1"><v>0.45</v></c><c s="3"><v>8.36</v></c><c s="4"><v>19</v></c></row><row><c s="2"><v>8</v></c><c><v>5</v></c></row><row><c><v>9</v></c><c t="inlineStr"><is><r><rPr><strike/></rPr><t>6</t></r><r><t> 7</t></r></is></c></row><row><c><v>10</v></c><c t="s"><v>1</v></c></row>`,
      {
        'xl/sharedStrings.xml':
          '<sst><si><t>4</t></si><si><r><rPr><strike/></rPr><t>4 </t></r><r><t>5</t></r></si></sst>',
        'xl/styles.xml':
          '<styleSheet><fonts><font/><font><strike/></font><font><strike val="0"/></font></fonts><cellXfs><xf numFmtId="0"/><xf numFmtId="9" fontId="2"/><xf numFmtId="0" fontId="1"/><xf numFmtId="1"/><xf numFmtId="2"/></cellXfs></styleSheet>',
      },
    ),
  )
  expect(await readRows(source)).toMatchObject([
    [2, { amount: expect.stringMatching('! “45%” is not'), systemSize: '8.36', numberOfModules: '19' }],
    [3, { id: 8n, amount: 5 }],
    [4, { id: 9n }],
    [5, { id: 10n }],
  ])
  expect((await source.readTable!()).skipped).toMatchObject([
    { kind: 'struck', count: 3, rows: [{ row: 3, text: '8 · 5' }, { row: 4 }, { row: 5 }] },
  ])
})

test('ignores a cell beyond the thousandth column', async () => {
  const rows = `<row r="1">${text('id')}</row><row r="2"><c><v>7</v></c>${text('ask Jo', 'r="BXX2"')}</row>`
  expect(await read(workbook(rows))).toEqual([[2, { id: 7n }]])
})

describe('a link in a cell', () => {
  const header = `<row r="1">${text('id')}${text('dealname')}${text('proposalLink')}${text('owner.email')}</row>`
  const rowOf = (row: number, link = 'Open') =>
    `<row r="${row}"><c><v>7</v></c>${text('Ortiz, Mia')}${text(link)}${text('Jo Reed')}</row>`
  const linked = (hyperlinks: string) =>
    `<worksheet><sheetData>${header}${rowOf(2)}${rowOf(3)}</sheetData><hyperlinks>${hyperlinks}</hyperlinks></worksheet>`

  test('is read as its URL in a URL field, and as its text elsewhere', async () => {
    const content = workbook('', {
      'xl/worksheets/sheet7.xml': linked(
        '<hyperlink ref="B2:C2" r:id="p"/><hyperlink ref="D2:D3" r:id="m"/><hyperlink ref="C3" location="\'Deals\'!A1" display="x"/>',
      ),
      ...relations(
        '<Relationship Id="p" Type="x/hyperlink" Target="https://p.example/ortiz?a=1&amp;b=2" TargetMode="External"/><Relationship Id="m" Type="x/hyperlink" Target="mailto:jo@b.example?subject=Hi" TargetMode="External"/>',
      ),
    })
    const owner = { email: 'jo@b.example' }
    expect(await read(content)).toMatchObject([
      [2, { dealname: 'Ortiz, Mia', proposalLink: 'https://p.example/ortiz?a=1&b=2', owner }],
      [3, { proposalLink: expect.stringMatching(/^! “Open” is not a link/), owner }],
    ])
  })

  test('may have an anchor', async () => {
    const content = workbook('', {
      'xl/worksheets/sheet7.xml': linked('<hyperlink ref="C2" x:id="p" location="page=2"/>'),
      ...relations('<Relationship Id="p" Type="x/hyperlink" Target="https://p.example/ortiz"/>'),
    })
    expect((await read(content))[0]).toMatchObject([2, { proposalLink: 'https://p.example/ortiz#page=2' }])
  })

  test('may be a formula, including a shared formula or one without a result', async () => {
    const formula = (f: string) => `<c t="str">${f}<v>Open</v></c>`
    const rows = `<row r="1">${text('id')}${text('proposalLink')}</row>
      <row r="2"><c><v>7</v></c>${formula('<f t="shared" ref="B2:B3" si="0">HYPERLINK("https://p.example/"&amp;A2,"Open")</f>')}</row>
      <row r="3"><c><v>8</v></c>${formula('<f t="shared" si="0"/>')}</row>
      <row r="4"><c><v>9</v></c><c><f>HYPERLINK("https://q.example/","Open")</f></c></row>`
    expect(await read(workbook(rows))).toEqual([
      [2, { id: 7n, proposalLink: 'https://p.example/7' }],
      [3, { id: 8n, proposalLink: 'https://p.example/8' }],
      [4, { id: 9n, proposalLink: 'https://q.example/' }],
    ])
  })
})

describe('a hidden column', () => {
  const sheet = (cols: string) => ({
    'xl/worksheets/sheet7.xml': `<worksheet><cols>${cols}</cols><sheetData><row>${text('id')}${text('stage')}${text('notes')}</row><row><c><v>7</v></c>${text('NTP')}${text('internal')}</row></sheetData></worksheet>`,
  })

  test.each([
    ['hidden', '<col min="3" max="3" hidden="1"/>'],
    [
      'hidden through the last column',
      '<col min="1" max="2" width="9"/><col min="3" max="16384" hidden="true"/>',
    ],
    ['without width', '<col min="3" max="3" width="0" customWidth="1"/>'],
    [
      'in a collapsed group',
      '<col min="3" max="3" width="9" hidden="1" outlineLevel="1"/><col min="4" max="4" collapsed="1"/>',
    ],
  ])('is ignored unless chosen: %s', async (_what, cols) => {
    const content = workbook('', sheet(cols))
    expect(await read(content)).toEqual([[2, { id: 7n, stage: 'NTP' }]])
    const source = await open(content)
    const { columns } = await source.readTable!()
    expect(columns.map(({ title, hidden }) => [title, hidden])).toEqual([
      ['id', undefined],
      ['stage', undefined],
      ['notes', true],
    ])
    expect(suggestMapping(columns)).toEqual({ notes: '' })
    expect(await readRows(source, { notes: 'notes' })).toEqual([
      [2, { id: 7n, stage: 'NTP', notes: 'internal' }],
    ])
  })

  test('is distinguished from a column that is only formatted', async () => {
    const content = workbook('', sheet('<col min="3" max="16384" width="9" style="1" hidden="0"/>'))
    expect(await read(content)).toMatchObject([[2, { notes: 'internal' }]])
  })
})

test('rejects an id rounded by a spreadsheet, with the reason', async () => {
  const rows = `<row>${text('id')}</row><row><c><v>1.2345678901234501E+16</v></c></row><row><c><v>9007199254740993</v></c></row>`
  expect(await read(workbook(rows))).toEqual([
    [
      2,
      {
        id: '! is a number of more than 15 digits, which the spreadsheet has rounded; enter it as text (cell A2)',
      },
    ],
    [3, { id: 9007199254740993n }],
  ])
})

test('a row without an id is the parent of the outlined rows below', async () => {
  const row = (name: string, id: string, level: number) =>
    `<row outlineLevel="${level}">${text(name)}<c><v>${id}</v></c>${text('NTP')}</row>`
  const titles = `<row>${text('dealname')}${text('id')}${text('stage')}</row>`
  const source = await open(
    workbook(titles + row('Brightroof', '', 0) + row('Mia', '7', 1) + row('Al', '', 1)),
  )
  expect(await readRows(source)).toMatchObject([
    [3, { id: 7n }],
    [4, { id: null, dealname: 'Al' }],
  ])
})

test('recognizes rows of totals by their formulas', async () => {
  const rows = `<row>${text('id')}${text('amount')}</row><row><c><v>7</v></c><c><f>SUM(C2:D2)</f><v>5</v></c></row><row>${text('Both')}<c><f>SUM(B1:B2)</f><v>5</v></c></row><row>${text('All')}<c><f>SUBTOTAL(109,B2:B3)</f><v>5</v></c></row>`
  const source = await open(workbook(rows))
  expect(await readRows(source)).toEqual([[2, { id: 7n, amount: 5 }]])
  expect((await source.readTable!()).skipped).toMatchObject([{ kind: 'footer', count: 2 }])
})

test('titles below merged cells include the merged title where needed', async () => {
  const xlsx = workbook('', {
    'xl/worksheets/sheet7.xml': `<worksheet><sheetData><row>${text('Deal')}<c/>${text('Permit')}<c/></row><row>${text('id')}${text('stage')}${text('Submitted')}${text('Received')}</row><row><c><v>7</v></c>${text('NTP')}<c t="d"><v>2026-03-01</v></c></row></sheetData><mergeCells><mergeCell ref="A1:B1"/><mergeCell ref="C1:D1"/></mergeCells></worksheet>`,
  })
  const wide = (title: string) =>
    `<table:table-cell table:number-columns-spanned="2"><text:p>${title}</text:p></table:table-cell><table:covered-table-cell/>`
  const cell = (title: string) => `<table:table-cell><text:p>${title}</text:p></table:table-cell>`
  const ods = zip({
    'content.xml': `<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x"><table:table table:name="Deals"><table:table-row>${wide('Deal')}${wide('Permit')}</table:table-row><table:table-row>${['id', 'stage', 'Submitted', 'Received'].map(cell).join('')}</table:table-row><table:table-row>${['7', 'NTP', '2026-03-01', ''].map(cell).join('')}</table:table-row></table:table></office:document-content>`,
  })
  for (const content of [xlsx, ods]) {
    const { columns } = await (await open(content)).readTable!()
    expect(columns.map(({ title }) => title)).toEqual(['id', 'stage', 'Permit Submitted', 'Permit Received'])
  }
})

test('reads links, percentages, hidden columns, struck-through rows and totals in an ODS sheet as well', async () => {
  const cell = (inner: string, attributes = '') =>
    `<table:table-cell ${attributes}>${inner}</table:table-cell>`
  const p = (content: string) => `<text:p>${content}</text:p>`
  const content = zip({
    'content.xml': `<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x" xmlns:xlink="l"><style:style style:name="ce1"><style:text-properties style:text-line-through-style="solid"/></style:style><table:table table:name="Cover"><table:table-row>${cell(p('Our deals'))}</table:table-row></table:table><table:table table:name="Deals"><table:table-column table:number-columns-repeated="2"/><table:table-column-group table:display="false"><table:table-column/></table:table-column-group><table:table-column table:visibility="collapse" table:number-columns-repeated="1021"/>
      <table:table-row>${cell(p('id'))}${cell(p('proposalLink'))}${cell(p('notes'))}${cell('', 'table:number-columns-repeated="1021"')}</table:table-row>
      <table:table-row>${cell(p('7'), 'office:value-type="float" office:value="7"')}${cell(p('<text:a xlink:href="https://p.example/">Open</text:a>'))}${cell(p('<text:span text:style-name="ce1">45</text:span>%'), 'office:value-type="percentage" office:value="0.45"')}</table:table-row>
      <table:table-row>${cell(p('8'), 'table:style-name="ce1" office:value-type="float" office:value="8"')}${cell(p('Open'), `table:formula="of:=HYPERLINK(&quot;https://p.example/&quot;&amp;[.A3];&quot;Open&quot;)" office:value-type="string"`)}</table:table-row>
      <table:table-row>${cell(p('All'))}${cell(p('15'), 'table:formula="of:=SUM([.A2:.A3])" office:value-type="float" office:value="15"')}</table:table-row>
      </table:table></office:document-content>`,
  })
  const source = await open(content)
  expect(source.sheets).toMatchObject({ chosen: 'Deals', all: ['Cover', 'Deals'] })
  const { columns, skipped } = await source.readTable!()
  expect(columns.map(({ title, hidden }) => [title, hidden])).toEqual([
    ['id', undefined],
    ['proposalLink', undefined],
    ['notes', true],
  ])
  expect(columns[2]!.examples).toEqual(['45%'])
  expect(skipped).toMatchObject([
    { kind: 'struck', rows: [{ row: 2 }, { row: 3 }] },
    { kind: 'footer', rows: [{ row: 4 }] },
  ])
  expect(await readRows(source)).toEqual([
    [2, { id: 7n, proposalLink: 'https://p.example/' }],
    [3, { id: 8n, proposalLink: 'https://p.example/8' }],
  ])
})
