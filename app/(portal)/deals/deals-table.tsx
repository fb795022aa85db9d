import { CalendarClock, Check } from 'lucide-react'
import { Badge } from '#app/ui/badge.tsx'
import { formatAgo, formatDay, formatDollars, formatDuration, formatInstant } from '#app/ui/format.ts'
import type { Deal } from '#server/deals/deal.ts'
import { milestoneOf } from './milestone.ts'
import { stageTone } from './stage-tone.ts'

// Below `md` a row is a card. The roles are said again because browsers forget a table's when it is displayed as something else.
const columns = [
  { title: 'Deal', className: '' },
  { title: 'Stage', className: '' },
  { title: 'In stage', className: '' },
  { title: 'System', className: 'text-right' },
  { title: 'Amount', className: 'text-right' },
  { title: 'Milestone', className: 'md:max-xl:hidden' },
  { title: 'Updated', className: 'text-right md:max-lg:hidden' },
]

/** Deals as a table; what is so many days old is so at `nowMs`, milliseconds since 1970. */
export function DealsTable({ deals, nowMs }: { deals: Deal[]; nowMs: number }) {
  return (
    <table role="table" aria-label="Deals" className="w-full rounded-xl border-line max-md:block md:border-separate md:border-spacing-0 md:border md:bg-surface">
      <thead role="rowgroup" className="max-md:sr-only">
        <tr role="row">
          {columns.map(({ title, className }) => (
            <th key={title} role="columnheader" scope="col" className={`sticky top-14 z-10 h-10 border-b border-line bg-surface px-3 text-left text-xs font-medium whitespace-nowrap text-ink-soft first:rounded-tl-xl first:pl-5 last:rounded-tr-xl last:pr-5 ${className}`}>{title}</th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup" className="max-md:flex max-md:flex-col max-md:gap-3">
        {deals.map((deal) => <DealRow key={String(deal.id)} deal={deal} nowMs={nowMs} />)}
      </tbody>
    </table>
  )
}

const cell = 'md:px-3 md:py-3 md:align-middle md:border-b md:border-line md:group-last:border-b-0 md:first:pl-5 md:last:pr-5'
const quiet = 'text-ink-soft tabular-nums whitespace-nowrap'

function DealRow({ deal, nowMs }: { deal: Deal; nowMs: number }) {
  const milestone = milestoneOf(deal, nowMs)
  return (
    <tr role="row" className="group max-md:grid max-md:grid-cols-[1fr_auto] max-md:gap-x-4 max-md:gap-y-1.5 max-md:rounded-xl max-md:border max-md:border-line max-md:bg-surface max-md:p-4 md:hover:bg-sunken/60">
      <td role="cell" className={`${cell} min-w-0 md:max-w-72`}>
        <p className="truncate font-medium">{titleOf(deal)}</p>
        <p className="truncate text-ink-soft">{addressOf(deal) || 'No address'}</p>
      </td>
      <td role="cell" className={`${cell} max-md:order-2 max-md:min-w-0 md:max-w-48`}>
        {deal.stage === null ? <span className="text-ink-soft">Unknown</span> : <Badge tone={stageTone(deal.stage)}>{deal.stage}</Badge>}
      </td>
      <td role="cell" className={`${cell} ${quiet} max-md:order-3 max-md:text-right`}>
        {deal.timeInCurrentStage !== null && <Time time={deal.timeInCurrentStage} text={formatDuration(deal.timeInCurrentStage, nowMs)} />}
      </td>
      <td role="cell" className={`${cell} ${quiet} text-right max-md:order-5 max-md:hidden`}>{deal.systemSize !== null && sizeOf(deal.systemSize)}</td>
      <td role="cell" className={`${cell} text-right font-medium tabular-nums max-md:order-1`}>{deal.amount !== null && formatDollars(deal.amount)}</td>
      <td role="cell" className={`${cell} ${quiet} max-md:order-4 md:max-xl:hidden`}>
        {milestone !== null && (
          <span className="inline-flex items-center gap-1.5">
            {milestone.isAhead ? <CalendarClock aria-label="Next:" className="size-4 shrink-0" /> : <Check aria-label="Last:" className="size-4 shrink-0" />}
            {milestone.label} <Time time={milestone.time} text={formatDay(milestone.time, nowMs)} />
          </span>
        )}
      </td>
      <td role="cell" className={`${cell} ${quiet} text-right max-md:order-5 md:max-lg:hidden`}>
        {deal.lastModified !== null && <><span className="sr-only">Updated </span><Time time={deal.lastModified} text={formatAgo(deal.lastModified, nowMs)} /></>}
      </td>
    </tr>
  )
}

function Time({ time, text }: { time: string; text: string }) {
  return <time dateTime={time} title={formatInstant(time)}>{text}</time>
}

function titleOf({ id, dealname, firstName, lastName }: Deal): string {
  return dealname || [lastName, firstName].filter(Boolean).join(', ') || `Deal ${id}`
}

function addressOf({ streetAddress, city, state, zipCode }: Deal): string {
  return [streetAddress, city, [state, zipCode].filter(Boolean).join(' ')].filter(Boolean).join(', ')
}

/** The size of a system is a text; when it is a number, it is in kilowatts. */
function sizeOf(systemSize: string): string {
  return /^\d+(?:\.\d+)?$/.test(systemSize) ? `${systemSize} kW` : systemSize
}
