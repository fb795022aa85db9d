'use client'

import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { DialogForm } from '#app/ui/dialog.tsx'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { TextField } from '#app/ui/fields.tsx'
import { useZone } from '#app/ui/times.tsx'
import { sheetLinkDays } from '#server/sheets/policy.ts'
import { dayOf } from '#server/values/zone.ts'
import { NewTokenDialog } from '../(manage)/tokens/create-dialog.tsx'
import { columnLabel } from './columns.ts'
import { type ColumnId, columnsOf } from './columns.ts'
import { isDuration } from './fields.ts'
import { type DealsState, filterOf, relativeDaysOf, sortOf } from './query.ts'

/** Creates a sheet link, with which a spreadsheet loads the current view, and shows the link once. */
export function SheetDialog({
  state,
  viewName,
  onClose,
}: {
  state: DealsState
  viewName: string
  onClose: () => void
}) {
  const today = dayOf(new Date(), useZone())
  const [name, setName] = useState(viewName)
  const { tokens } = trpc.useUtils()
  const create = trpc.sheets.create.useMutation({ onSuccess: () => tokens.invalidate() })
  const isOfViewer = state.is.includes('mine') || state.assignee.includes('me')
  return (
    <NewTokenDialog
      title="Use in a sheet"
      titleOnceMade="Sheet link created"
      made={create.data}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={() =>
          isOfViewer ||
          create.mutate({
            name,
            filter: filterOf(state, today),
            relativeDays: relativeDaysOf(state),
            sort: sortOf(state),
            columns: sheetColumns(state),
          })
        }
        problem={isOfViewer ? onlyYours : create.error && refusalMessage(create.error)}
        busy={create.isPending}
        submit="Create sheet link"
        onCancel={onClose}
      >
        <p className="text-pretty">
          Google Sheets, Excel and LibreOffice then read these deals and keep them up to date. The link keeps
          the filters, order and columns that you see now: later changes to the view do not change it. It
          works for {sheetLinkDays} days, or until an admin revokes it under Tokens.
        </p>
        <TextField
          label="Name"
          required
          pattern=".*\S.*"
          maxLength={100}
          autoComplete="off"
          hint="Shown under Tokens."
          value={name}
          onChange={({ target: { value } }) => setName(value)}
        />
      </DialogForm>
    </NewTokenDialog>
  )
}

const onlyYours =
  'A sheet shows everyone the same deals, and this view shows yours. Remove the filter “Mine” or “Assigned to: Me” first.'

/** Returns the title of a column. Sheets contain the start of a stage instead of the elapsed time. */
const columnTitle = (column: ColumnId) => (isDuration(column) ? 'In stage since' : columnLabel(column))

function sheetColumns(state: DealsState) {
  const columns = columnsOf(state, false).filter((column) => column !== 'partner')
  return [...new Set([...columns, 'id' as const])].map((column) => ({ column, title: columnTitle(column) }))
}
