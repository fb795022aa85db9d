import { Panel } from '#app/ui/panel.tsx'
import type { Source } from '../labels.ts'

/** Shows which property each field comes from. */
export function MappingPanel({ source: { mapping, partnerProperty } }: { source: Source }) {
  const rows: [string, string][] = [['partner', partnerProperty ?? 'none'], ...Object.entries(mapping)]
  return (
    <Panel title="Mapping" about="Fields of a deal and the properties that they come from.">
      <dl className="grid gap-x-6 gap-y-1.5 sm:grid-cols-2">
        {rows.map(([field, property]) => (
          <div key={field} className="flex min-w-0 justify-between gap-3 border-b border-line pb-1.5">
            <dt className="wrap-anywhere">{field}</dt>
            <dd className="text-right font-mono text-xs wrap-anywhere text-ink-soft">{property}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
