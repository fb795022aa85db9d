import { CalendarClock, Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge } from '#app/ui/badge.tsx'
import { formatAgo, formatDay, formatDollars, formatDuration, formatInstant } from '#app/ui/format.ts'
import type { Deal } from '#server/deals/deal.ts'
import { milestoneOf } from './milestone.ts'
import { stageTone } from './stage-tone.ts'

interface Column {
  title: string
  /** For the head and the cells. */
  className: string
  /** For the head alone. */
  width: string
  cell: (deal: Deal, nowMs: number) => ReactNode
}

// Widths are fixed, so that nothing jumps from page to page. Below `md` a row is a card of three columns.
const columns: Column[] = [
  {
    title: 'Deal', className: 'max-md:col-span-3 max-md:min-w-0', width: '',
    cell(deal) {
      const address = addressOf(deal) || 'No address yet'
      return (
        <>
          <p className="truncate font-medium" title={titleOf(deal)}>{titleOf(deal)}</p>
          <p className="truncate text-ink-soft" title={address}>{address}</p>
        </>
      )
    },
  },
  {
    title: 'Stage', className: 'max-md:min-w-0', width: 'w-40',
    cell: ({ stage }) => (stage === null ? <span className="text-ink-soft">Unknown</span> : <Badge tone={stageTone(stage)}>{stage}</Badge>),
  },
  {
    title: 'In stage', className: 'whitespace-nowrap text-ink-soft', width: 'w-26',
    cell: ({ timeInCurrentStage: since }, nowMs) => since !== null && <Time time={since} text={formatDuration(since, nowMs)} />,
  },
  {
    title: 'System', className: 'text-right text-ink-soft max-lg:hidden', width: 'w-26',
    cell: ({ systemSize }) => systemSize !== null && sizeOf(systemSize),
  },
  {
    title: 'Amount', className: 'text-right font-medium', width: 'w-27',
    cell: ({ amount }) => amount !== null && formatDollars(amount),
  },
  {
    title: 'Milestone', className: 'text-ink-soft max-md:col-span-3 md:max-xl:hidden xl:pl-8', width: 'w-68',
    cell(deal, nowMs) {
      const milestone = milestoneOf(deal, nowMs)
      if (milestone === null) return null
      const Icon = milestone.isAhead ? CalendarClock : Check
      return (
        <span className="flex items-center gap-1.5">
          <Icon aria-label={milestone.isAhead ? 'Next:' : 'Last:'} className="size-4 shrink-0" />
          <span className="truncate">{milestone.label} <Time time={milestone.time} text={formatDay(milestone.time, nowMs)} /></span>
        </span>
      )
    },
  },
  {
    title: 'Updated', className: 'text-right text-ink-soft max-lg:hidden', width: 'w-32',
    cell: ({ lastModified }, nowMs) => lastModified !== null && <Time time={lastModified} text={formatAgo(lastModified, nowMs)} />,
  },
]

/** Deals as a table; what is so many days old is so at `nowMs`, milliseconds since 1970. */
export function DealsTable({ deals, nowMs }: { deals: Deal[]; nowMs: number }) {
  // The roles are said again because browsers forget a table's when it is displayed as something else.
  return (
    <div className="md:overflow-clip md:rounded-xl md:border md:border-line md:bg-surface">
      <table role="table" aria-label="Deals" className="w-full table-fixed border-separate border-spacing-0 tabular-nums max-md:block">
        <thead role="rowgroup" className="max-md:sr-only">
          <tr role="row">
            {columns.map(({ title, className, width }) => (
              <th key={title} role="columnheader" scope="col" className={`sticky top-14 z-10 h-10 border-b border-line bg-surface px-4 text-left text-xs ${className} ${width} font-medium text-ink-soft`}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" className="max-md:flex max-md:flex-col max-md:gap-3">
          {deals.map((deal) => (
            <tr key={String(deal.id)} role="row" className={row}>
              {columns.map(({ title, className, cell }) => (
                <td key={title} role="cell" className={`md:border-b md:border-line md:px-4 md:py-3 md:group-last:border-b-0 ${className}`}>{cell(deal, nowMs)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const row = 'group max-md:grid max-md:grid-cols-[minmax(0,auto)_1fr_auto] max-md:items-center max-md:gap-x-3 max-md:gap-y-2 max-md:rounded-xl '
  + 'max-md:border max-md:border-line max-md:bg-surface max-md:p-4 md:hover:bg-sunken/60'

function Time({ time, text }: { time: string; text: string }) {
  return <time dateTime={time} title={formatInstant(time)} className="whitespace-nowrap">{text}</time>
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
