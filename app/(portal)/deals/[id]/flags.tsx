import { Check, CircleAlert, ListChecks, type LucideIcon, Minus } from 'lucide-react'
import type { FlagField } from '#server/deals/columns.ts'
import type { KnownDeal } from '#server/deals/deal.ts'
import type { Step } from '#server/deals/milestones/timeline.ts'
import { hasBatteryText, hasHoaText, requirementText } from './fact-text.ts'
import { DealFacts, DealSection } from './section.tsx'

// Tasks with their labels for done and not done.
const tasks = {
  installCompleted: ['Installed', 'Not marked installed'],
  scopeOfWorkPacket: ['Scope-of-work packet completed', 'Scope-of-work packet not completed'],
  plansetMatchesAsBuilt: ['Planset matches as-built', 'Planset not confirmed as-built'],
  m2Approved: ['M2 approved', 'M2 not marked approved'],
  hasOutstandingItems: ['Outstanding items', 'No outstanding items'],
  hasChangesToAdders: ['Adders changed', 'Adders unchanged'],
} as const satisfies Partial<Record<FlagField, [string, string]>>

/** Flags that need attention when set. */
export const alarming: readonly FlagField[] = ['hasOutstandingItems', 'hasChangesToAdders']

/** Shows a deal's checklist, and facts about the deal below it. */
export function Flags({ deal, timeline }: { deal: KnownDeal; timeline: readonly Step[] }) {
  // A flag without a value is unknown, not open.
  const visible = (Object.entries(tasks) as [keyof typeof tasks, [string, string]][]).filter(
    ([field]) => deal[field] !== null,
  )
  return (
    <DealSection title="Checklist" icon={ListChecks}>
      <ul className="mb-4 grid gap-2 border-b border-line pb-4 empty:hidden">
        {visible.map(([field, [done, open]]) => {
          const isSet = deal[field] === true
          const { icon: Icon, color } = lookOf(field, isSet)
          return (
            <li key={field} className={`flex items-start gap-2 ${isSet ? '' : 'text-ink-soft'}`}>
              <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${color}`} />
              {isSet ? done : open}
            </li>
          )
        })}
      </ul>
      <DealFacts
        none=""
        facts={[
          { label: 'Permit', value: requirementText(deal, 'permit', timeline) },
          { label: 'Inspection', value: requirementText(deal, 'inspection', timeline) },
          { label: 'HOA', value: hasHoaText(deal) },
          { label: 'Battery', value: hasBatteryText(deal) },
        ]}
      />
    </DealSection>
  )
}

function lookOf(field: FlagField, isSet: boolean): { icon: LucideIcon; color: string } {
  if (!isSet) return { icon: Minus, color: 'text-ink-soft' }
  return alarming.includes(field)
    ? { icon: CircleAlert, color: 'text-ink' }
    : { icon: Check, color: 'text-good' }
}
