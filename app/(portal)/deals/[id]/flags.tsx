import { Check, CircleAlert, ListChecks, type LucideIcon, Minus } from 'lucide-react'
import type { Deal } from '#server/deals/deal.ts'
import type { FlagField } from '#server/deals/find/columns.ts'
import { Section } from './section.tsx'

// What each flag says when it is set, and when it is not.
const words: Record<FlagField, [string, string]> = {
  hasOutstandingItems: ['Items are outstanding', 'No items are outstanding'],
  hasChangesToAdders: ['The adders have changed', 'No changes to the adders'],
  hasBattery: ['With a battery', 'Without a battery'],
  hasHoa: ['An HOA has a say', 'No HOA'],
  permitRequired: ['A permit is required', 'No permit is required'],
  inspectionRequired: ['An inspection is required', 'No inspection is required'],
  scopeOfWorkPacket: ['Scope-of-work packet completed', 'Scope-of-work packet not completed'],
  installCompleted: ['Installed', 'Not installed yet'],
  plansetMatchesAsBuilt: ['Planset matches what was built', 'Planset not confirmed as built'],
  m2Approved: ['M2 approved', 'M2 not approved yet'],
}

/** Flags that ask for attention when they are set. */
export const alarming: readonly FlagField[] = ['hasOutstandingItems', 'hasChangesToAdders']

/** What is true of the deal, in words. */
export function Flags({ deal }: { deal: Deal }) {
  return (
    <Section title="Checklist" icon={ListChecks}>
      <ul className="grid gap-2">
        {(Object.entries(words) as [FlagField, [string, string]][]).map(([field, [yes, no]]) => {
          const isSet = deal[field]
          const [Icon, colour]: [LucideIcon, string] = !isSet
            ? [Minus, 'text-ink-soft']
            : alarming.includes(field)
              ? [CircleAlert, 'text-wait']
              : [Check, 'text-good']
          return (
            <li key={field} className={`flex items-start gap-2 ${isSet ? '' : 'text-ink-soft'}`}>
              <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${colour}`} />
              {isSet ? yes : no}
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
