import type { ReactNode } from 'react'
import { CodeBlock } from '#app/ui/copy.tsx'
import { Link } from '#app/ui/link.tsx'
import type { SheetAddress } from '#server/sheets/wire.ts'

/** Shows what to paste into each spreadsheet program. */
export function SheetUse(link: SheetLink) {
  return (
    <>
      <Program name="Google Sheets" label="Formula" text={googleFormula(link)}>
        Paste the formula into an empty cell.
      </Program>
      <Program name="Excel" label="Query" text={excelQuery(link)}>
        Data › Get Data › From Other Sources › Blank Query › Advanced Editor: paste the query. When asked how
        to connect, choose Anonymous.
      </Program>
      <Program name="LibreOffice" label="Address" text={sheetUrl(link)}>
        Sheet › External Links: paste the address. Then select “Format quoted field as text”.
      </Program>
      <p className="text-pretty text-ink-soft">
        Anyone with the key can read these deals. Details and limits:{' '}
        <Link href="/docs/sheets" className="font-medium text-accent underline underline-offset-4">
          Sheets
        </Link>
      </p>
    </>
  )
}

function Program({
  name,
  label,
  text,
  children,
}: {
  name: string
  label: string
  text: string
  children: ReactNode
}) {
  return (
    <section aria-label={name}>
      <h3 className="font-medium">{name}</h3>
      <p className="mt-0.5 mb-1.5 text-pretty text-ink-soft">{children}</p>
      <CodeBlock label={label} text={text} />
    </section>
  )
}

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

/** Returns an M text literal, in which `#(` starts an escape sequence. */
const quoted = (text: string) => `"${text.replaceAll('"', '""').replaceAll('#(', '#(#)(')}"`
