import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { type Format, formatDollars } from '#app/ui/format.ts'
import type { DealField, Person } from '#server/deals/deal.ts'
import { derivedColumn } from '../derived-columns.ts'
import { fieldLabels } from '../field-labels.ts'
import { heldText, holderText, holderTitle } from '../money-labels.ts'
import { NextStepLine, TimeText } from '../next-step.tsx'
import type { ColumnId } from '../query.ts'
import { StageBadge } from '../stages-of-page.tsx'
import type { Row } from '../use-deals.ts'

/** Shows a cell of a deal as of `nowMs`, for any column but the deal's name. */
export function cellOf(column: ColumnId, deal: Row, nowMs: number, format: Format): ReactNode {
  switch (column) {
    case 'milestone':
      return deal.milestone && <NextStepLine step={deal.milestone} nowMs={nowMs} />
    case 'held':
      return heldText(deal.held)
    case 'holder':
      return <Holder held={deal.held} />
    case 'partner':
      return deal.partner ?? <span className="text-ink-soft">None</span>
    case 'stage':
      return deal.stage ? <StageBadge stage={deal.stage} /> : <span className="text-ink-soft">No stage</span>
    case 'timeInCurrentStage':
      return (
        deal.timeInCurrentStage && (
          <TimeText
            time={deal.timeInCurrentStage}
            text={format.formatDuration(deal.timeInCurrentStage, nowMs)}
          />
        )
      )
    case 'lastModified':
    case 'notesLastUpdated':
      return deal[column] && <TimeText time={deal[column]} text={format.formatAgo(deal[column], nowMs)} />
    case 'systemSize':
      return deal.systemSize && sizeOf(deal.systemSize)
    case 'amount':
    case 'adderCost':
      return deal[column] != null && formatDollars(deal[column])
    default: {
      const derived = derivedColumn(column)
      if (derived !== undefined) return derived.text(deal, format.zone)
      return valueOf(column as DealField, deal, nowMs, format)
    }
  }
}

function Holder({ held }: Pick<Row, 'held'>) {
  if (!held?.holder) return null
  return (
    <span title={holderTitle(held)} className={held.name === null ? 'text-ink-soft' : ''}>
      {holderText(held)}
    </span>
  )
}

function valueOf(field: DealField, deal: Row, nowMs: number, format: Format): ReactNode {
  const value = deal[field]
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean')
    return value ? (
      <span className="flex items-center gap-1">
        <Check aria-hidden="true" className="size-4 text-accent" />
        Yes
      </span>
    ) : (
      <span className="text-ink-soft">No</span>
    )
  if (typeof value === 'object') return nameOf(value)
  if (fieldLabels[field].kind === 'time')
    return <TimeText time={String(value)} text={format.formatDay(String(value), nowMs)} />
  return fieldLabels[field].kind === 'double' ? price.format(Number(value)) : String(value)
}

const price = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

const nameOf = ({ firstName, lastName, email }: Person) =>
  [firstName, lastName].filter(Boolean).join(' ') || email

/** Shows the system size, a text; a plain number is in kilowatts. */
const sizeOf = (systemSize: string) => (/^\d+(?:\.\d+)?$/.test(systemSize) ? `${systemSize} kW` : systemSize)
