import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { ListTable } from '#app/ui/list-table.tsx'
import { useFormat } from '#app/ui/zone.tsx'
import type { Sample } from '#server/imports/import.ts'
import { type WarningKind, titleOfWarning } from '#server/imports/wire.ts'
import { parseJson } from '#server/protocol/int64.ts'
import { fieldText } from '../../../deals/[id]/field-text.ts'
import { fieldLabels } from '../../../deals/field-labels.ts'
import { issueLabels } from '../../data-issues/labels.ts'
import { ImportPart } from './part.tsx'

/** Shows what looks wrong about the deals of a file that are imported nevertheless, each with the first example. */
export function Warnings({ warnings, columns }: Pick<Sample, 'warnings' | 'columns'>) {
  const format = useFormat()
  if (warnings === undefined) return null
  return (
    <ImportPart
      title="Warnings"
      about="These deals are imported as they are, and those with odd values are listed under Data issues. Correct what is wrong at its source."
    >
      <ListTable
        label="Warnings"
        columns={[
          {
            title: 'Warning',
            cell: ({ kind }) => (
              <>
                {titleOfWarning(kind)}
                <span className="block text-pretty text-ink-soft">{aboutOf(kind, columns)}</span>
              </>
            ),
          },
          {
            title: 'First example',
            cell: ({ line, id, name, fields }) => (
              <span className="wrap-anywhere">
                {[
                  `Line ${formatCount(line)}`,
                  name || `Deal ${id}`,
                  ...fields.map(
                    ({ field, json }) =>
                      `${fieldLabels[field].label}: ${fieldText(field, parseJson(json), format) ?? ''}`,
                  ),
                ].join(' · ')}
              </span>
            ),
          },
          { title: 'Deals', isNumber: true, cell: ({ count }) => formatCountOf(count, 'deal') },
        ]}
        rows={warnings}
        keyOf={({ kind }) => kind}
      />
    </ImportPart>
  )
}

/** Returns what a warning means; that a whole column is missing, where that is why. */
function aboutOf(kind: WarningKind, columns: Sample['columns']): string {
  const hasColumn = (...fields: string[]) =>
    columns === undefined || columns.some(({ field }) => fields.includes(field))
  if (kind === 'noName')
    return hasColumn('dealname', 'firstName', 'lastName')
      ? 'They are shown by their IDs.'
      : 'No column is read as the name of the deal or of the homeowner. They are shown by their IDs.'
  if (kind === 'noStage')
    return hasColumn('stage')
      ? 'The portal cannot say what they wait for.'
      : 'No column is read as the stage. The portal cannot say what they wait for.'
  return issueLabels[kind].about
}
