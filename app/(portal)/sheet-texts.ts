import type { SheetAddress } from '#server/sheets/wire.ts'

/** A sheet link. The token is the secret in its URL. */
export interface SheetLink {
  sheet: SheetAddress
  token: string
}

/** Returns the URL with the token in it, for programs that cannot send headers. */
export const sheetUrl = ({ sheet, token }: SheetLink) => `${sheet.url}?key=${token}`

/** Returns the formula for Google Sheets. */
export const googleFormula = (link: SheetLink) => `=IMPORTDATA("${sheetUrl(link)}")`

type Kind = SheetAddress['columns'][number]['kind']

const excelTypes: Record<Kind, string> = {
  text: 'type text',
  number: 'type number',
  day: 'type date',
  time: 'type datetime',
}

/**
 * Returns the query for Excel (Power Query M). The query sets the type of each column, because Excel would
 * guess and read `02134` as a number.
 */
export function excelQuery({ sheet: { url, columns }, token }: SheetLink): string {
  const types = columns.map(({ title, kind }) => `      {${quoted(title)}, ${excelTypes[kind]}}`)
  return `let
  Source = Web.Contents(${quoted(url)}, [Headers = [Authorization = ${quoted(`Bearer ${token}`)}]]),
  Rows = Csv.Document(Source, [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]),
  Titled = Table.PromoteHeaders(Rows, [PromoteAllScalars = true]),
  Typed = Table.TransformColumnTypes(
    Titled,
    {
${types.join(',\n')}
    },
    "en-US"
  )
in
  Typed`
}

/** Returns a text literal of M, in which `#(` starts an escape sequence. */
const quoted = (text: string) => `"${text.replaceAll('"', '""').replaceAll('#(', '#(#)(')}"`
