import { useState } from 'react'
import { button } from '#app/ui/button.ts'
import { Panel } from '#app/ui/panel.tsx'
import { propertiesByField } from '#server/sources/mapped-fields.ts'
import type { Source } from '../labels.ts'
import { MappingEditor } from './mapping-editor.tsx'
import { mappingLabel } from './mapping-label.ts'
import { MappingPreview } from './mapping-preview.tsx'

/** Shows which property each field comes from, and lets an operator change that after a preview. */
export function MappingPanel({ source }: { source: Source }) {
  const [isEditing, setEditing] = useState(false)
  // Before it is connected, the whole page is the preview.
  const trial = source.connectedAt === null ? null : source.trial
  return (
    <Panel
      title="Mapping"
      about="The property that each field of a deal comes from. A field without one keeps what it has."
    >
      {trial !== null && <MappingPreview source={source} trial={trial} onApplied={() => setEditing(false)} />}
      <div hidden={trial !== null}>
        {isEditing ? (
          <MappingEditor source={source} onClose={() => setEditing(false)} />
        ) : (
          <>
            <Properties source={source} />
            <button type="button" className={`${button.plain} mt-4`} onClick={() => setEditing(true)}>
              Edit mapping
            </button>
          </>
        )}
      </div>
    </Panel>
  )
}

function Properties({ source }: { source: Source }) {
  const rows = Object.entries(propertiesByField(source))
  return (
    <dl className="grid gap-x-6 gap-y-1.5 sm:grid-cols-2">
      {rows.map(([field, property]) => (
        <div key={field} className="flex min-w-0 justify-between gap-3 border-b border-line pb-1.5">
          <dt className="wrap-anywhere">{mappingLabel(field)}</dt>
          <dd className="text-right font-mono text-xs wrap-anywhere text-ink-soft">{property || 'none'}</dd>
        </div>
      ))}
    </dl>
  )
}
