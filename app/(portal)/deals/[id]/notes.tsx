import { NotebookText } from 'lucide-react'
import { useFormat } from '#app/ui/times.tsx'
import type { KnownDeal } from '#server/deals/deal.ts'
import { DealFacts, DealSection } from './section.tsx'

/** Shows the notes and inspection results of a deal. */
export function Notes({ deal, nowMs }: { deal: KnownDeal; nowMs: number }) {
  const { formatAgo, formatDay, formatInstant } = useFormat()
  const {
    notes,
    notesLastUpdated,
    notesNextActivityDate,
    inspectionNotes,
    inspectionResults,
    reInspectionResults,
  } = deal
  return (
    <DealSection
      title="Notes"
      icon={NotebookText}
      aside={
        notesLastUpdated !== null && (
          <time
            dateTime={notesLastUpdated}
            title={formatInstant(notesLastUpdated)}
            className="text-xs text-ink-soft"
          >
            Updated {formatAgo(notesLastUpdated, nowMs)}
          </time>
        )
      }
    >
      {notes ? (
        <p className="max-w-prose whitespace-pre-wrap wrap-anywhere">{notes}</p>
      ) : (
        <p className="text-ink-soft">No notes yet.</p>
      )}
      {(notesNextActivityDate ?? inspectionResults ?? inspectionNotes ?? reInspectionResults) !== null && (
        <div className="mt-4 border-t border-line pt-4">
          <DealFacts
            none=""
            facts={[
              {
                label: 'Next activity',
                value: notesNextActivityDate && (
                  <time dateTime={notesNextActivityDate} title={formatInstant(notesNextActivityDate)}>
                    {formatDay(notesNextActivityDate, nowMs)}
                  </time>
                ),
              },
              { label: 'Inspection', value: inspectionResults },
              { label: 'Inspection notes', value: inspectionNotes },
              { label: 'Re-inspection', value: reInspectionResults },
            ]}
          />
        </div>
      )}
    </DealSection>
  )
}
