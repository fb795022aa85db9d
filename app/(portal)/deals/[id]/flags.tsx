import { Check, CircleAlert, ListChecks, type LucideIcon, Minus } from 'lucide-react'
import type { Deal } from '#server/deals/deal.ts'
import type { FlagField } from '#server/deals/find/columns.ts'
import { DealSection } from './section.tsx'

// The label of each flag when it is set and when it is not.
const labels: Record<FlagField, [string, string]> = {
  hasOutstandingItems: ['Outstanding items', 'No outstanding items'],
  hasChangesToAdders: ['Adders changed', 'Adders unchanged'],
  hasBattery: ['Battery', 'No battery'],
  hasHoa: ['HOA approval required', 'No HOA'],
  permitRequired: ['Permit required', 'No permit required'],
  inspectionRequired: ['Inspection required', 'No inspection required'],
  scopeOfWorkPacket: ['Scope-of-work packet completed', 'Scope-of-work packet not completed'],
  installCompleted: ['Installed', 'Not installed yet'],
  plansetMatchesAsBuilt: ['Planset matches as-built', 'Planset not confirmed as-built'],
  m2Approved: ['M2 approved', 'M2 not approved yet'],
}

/** Flags that need attention when set. */
export const alarming: readonly FlagField[] = ['hasOutstandingItems', 'hasChangesToAdders']

/** Shows the flags of a deal. */
export function Flags({ deal }: { deal: Deal }) {
  return (
    <DealSection title="Checklist" icon={ListChecks}>
      <ul className="grid gap-2">
        {(Object.entries(labels) as [FlagField, [string, string]][]).map(([field, [yes, no]]) => {
          const isSet = deal[field]
          const { icon: Icon, colour } = lookOf(field, isSet)
          return (
            <li key={field} className={`flex items-start gap-2 ${isSet ? '' : 'text-ink-soft'}`}>
              <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${colour}`} />
              {isSet ? yes : no}
            </li>
          )
        })}
      </ul>
    </DealSection>
  )
}

function lookOf(field: FlagField, isSet: boolean): { icon: LucideIcon; colour: string } {
  if (!isSet) return { icon: Minus, colour: 'text-ink-soft' }
  return alarming.includes(field)
    ? { icon: CircleAlert, colour: 'text-ink' }
    : { icon: Check, colour: 'text-good' }
}
