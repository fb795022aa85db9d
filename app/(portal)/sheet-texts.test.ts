import { readFileSync } from 'node:fs'
import { DefaultSettings, TaskUtils } from '@microsoft/powerquery-parser'
import { expect, test } from 'vitest'
import { excelQuery, googleFormula, sheetUrl } from './sheet-texts.ts'

const link = {
  sheet: {
    url: 'https://deals.example.com/api/sheets/12.csv',
    columns: [
      { title: 'Deal', kind: 'text' },
      { title: 'Amount', kind: 'number' },
      { title: 'In stage since', kind: 'time' },
      { title: 'Next step day', kind: 'day' },
      { title: 'Said "yes", #(tab)', kind: 'text' },
    ],
  },
  token: 'pd_x',
} as const satisfies Parameters<typeof excelQuery>[0]

const guide = new URL('../docs/(guides)/sheets/page.mdx', import.meta.url)

const parses = async (text: string) =>
  TaskUtils.isParseStageOk(await TaskUtils.tryLexParse(DefaultSettings, text))

test('the query for Excel is valid, and types each column', async () => {
  const query = excelQuery(link)
  expect(await parses(query)).toBe(true)
  for (const part of [
    'Web.Contents("https://deals.example.com/api/sheets/12.csv", [Headers = [Authorization = "Bearer pd_x"]])',
    '{"Deal", type text},',
    '{"Amount", type number},',
    '{"In stage since", type datetime},',
    '{"Next step day", type date},',
    '{"Said ""yes"", #(#)(tab)", type text}\n',
  ])
    expect(query).toContain(part)
  expect(await parses(query.replace('in\n', ''))).toBe(false)
})

test('the formula for Google Sheets and the address contain the key', () => {
  expect(sheetUrl(link)).toBe('https://deals.example.com/api/sheets/12.csv?key=pd_x')
  expect(googleFormula(link)).toBe('=IMPORTDATA("https://deals.example.com/api/sheets/12.csv?key=pd_x")')
})

test('the guide shows them as the portal does', () => {
  const texts = Object.fromEntries(
    [...readFileSync(guide, 'utf8').matchAll(/^```(\w+)\n(.*?)\n```$/gms)].map(([, language, text]) => [
      language,
      text,
    ]),
  )
  const shown = {
    sheet: {
      url: link.sheet.url,
      columns: [
        { title: 'Deal', kind: 'text' },
        { title: 'ZIP code', kind: 'text' },
        { title: 'Amount', kind: 'number' },
        { title: 'In stage since', kind: 'time' },
        { title: 'Deal ID', kind: 'text' },
      ],
    },
    token: 'pd_…',
  } as const satisfies Parameters<typeof excelQuery>[0]
  expect(texts).toEqual({ formula: googleFormula(shown), m: excelQuery(shown), address: sheetUrl(shown) })
})
