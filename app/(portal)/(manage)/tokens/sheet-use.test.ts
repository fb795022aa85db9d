import { readFileSync } from 'node:fs'
import { DefaultSettings, TaskUtils } from '@microsoft/powerquery-parser'
import { expect, test } from 'vitest'
import { type SheetLink, excelQuery, googleFormula, sheetUrl } from './sheet-use.tsx'

/** The example link in the guide. */
const link: SheetLink = {
  sheet: {
    url: 'https://deals.example.com/api/sheets/12.csv',
    columns: [
      { title: 'Deal', kind: 'text' },
      { title: 'ZIP code', kind: 'text' },
      { title: 'Amount', kind: 'number' },
      { title: 'In stage since', kind: 'time' },
      { title: 'Deal ID', kind: 'text' },
    ],
  },
  token: 'pd_…',
}

const guide = new URL('../../../docs/(guides)/sheets/page.mdx', import.meta.url)

const parses = async (text: string) =>
  TaskUtils.isParseStageOk(await TaskUtils.tryLexParse(DefaultSettings, text))

test('the Excel query is valid, sets a type for each column and escapes titles', async () => {
  const hostile = { title: 'Said "yes", #(tab)', kind: 'day' } as const
  const columns = [...link.sheet.columns, hostile]
  const query = excelQuery({ ...link, sheet: { ...link.sheet, columns } })
  expect(await parses(query)).toBe(true)
  expect(query).toContain('{"Said ""yes"", #(#)(tab)", type date}\n')
  expect(await parses(query.replace('in\n', ''))).toBe(false)
})

test('the guide quotes the texts of the portal', () => {
  const texts = Object.fromEntries(
    [...readFileSync(guide, 'utf8').matchAll(/^```(\w+)\n(.*?)\n```$/gms)].map(([, language, text]) => [
      language,
      text,
    ]),
  )
  expect(texts).toEqual({ formula: googleFormula(link), m: excelQuery(link), address: sheetUrl(link) })
})
