import type { ReactNode } from 'react'
import { CodeBlock } from '#app/ui/copy.tsx'
import { Link } from '#app/ui/link.tsx'
import { type SheetLink, excelQuery, googleFormula, sheetUrl } from './sheet-texts.ts'

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
