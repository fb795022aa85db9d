import { CircleCheck } from 'lucide-react'
import type { Overview } from '#server/insight/wire.ts'
import { CountedLine } from './counted-line.tsx'
import { attentionHint, attentionLabels } from './labels.ts'
import { OverviewSection } from './section.tsx'

/** Shows the deals that need attention, by reason: the most dollars for the longest time first. */
export function Attention({ attention }: Pick<Overview, 'attention'>) {
  return (
    <OverviewSection title="Needs attention">
      {attention.length === 0 ? (
        <p className="m-auto flex flex-col items-center px-6 pt-6 pb-12 text-center">
          <CircleCheck aria-hidden="true" className="mb-2 size-8 text-good" />
          <span className="font-medium">All clear</span>
          <span className="text-ink-soft">No open deal is known to be late, inactive or flagged.</span>
        </p>
      ) : (
        <ul className="flex flex-1 flex-col">
          {attention.map((figure) => (
            <li key={figure.name} className="max-h-20 flex-1">
              <CountedLine
                title={attentionLabels[figure.name].title}
                hint={attentionHint(figure)}
                counted={figure}
              />
            </li>
          ))}
        </ul>
      )}
    </OverviewSection>
  )
}
