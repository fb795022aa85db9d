import { dealTitle } from '../deal-name.ts'
import type { Row } from '../use-deals.ts'
import { focusRow } from './use-rows.ts'

/** The checkbox that selects a row. */
export function ChooseBox({
  deal,
  index,
  isChosen,
  onChoose,
  className,
}: {
  deal: Row
  index: number
  isChosen: boolean
  onChoose: (index: number, isRange?: boolean) => void
  className: string
}) {
  return (
    <input
      type="checkbox"
      // Arrow keys reach rows, and X selects them.
      tabIndex={-1}
      aria-label={`Select ${dealTitle(deal)}`}
      checked={isChosen}
      onChange={({ nativeEvent }) => onChoose(index, (nativeEvent as MouseEvent).shiftKey)}
      onClick={(event) => {
        event.stopPropagation()
        focusRow(event.currentTarget)
      }}
      className={`size-4 accent-accent print:hidden ${className}`}
    />
  )
}
