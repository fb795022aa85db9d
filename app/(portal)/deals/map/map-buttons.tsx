import { Minus, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatCount } from '#app/ui/format.ts'
import { faintOpacity, shadeColour } from './shades.ts'

/** Shows how many deals a county of each shade has. */
export const Legend = ({
  starts,
  isMore,
  isFaint,
}: {
  starts: number[]
  isMore: boolean
  /** Whether the shades are those behind points. */
  isFaint: boolean
}) => (
  <ul
    aria-label="Deals in a county"
    className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-soft tabular-nums"
  >
    {starts.map((start, shade) => (
      <li key={start} className="flex items-center gap-1.5">
        <svg aria-hidden="true" width="12" height="12">
          <rect
            width="12"
            height="12"
            rx="2"
            fill={shadeColour(shade, starts.length)}
            opacity={isFaint ? faintOpacity : 1}
          />
        </svg>
        {rangeText(start, starts[shade + 1], isMore)}
      </li>
    ))}
  </ul>
)

/** Zooms in and out. */
export const ZoomButtons = ({ zoomBy }: { zoomBy: (factor: number) => void }) => (
  <div className="absolute right-3 bottom-3 flex flex-col gap-1.5 print:hidden">
    <ZoomButton label="Zoom in" onClick={() => zoomBy(2)}>
      <Plus aria-hidden="true" className="size-4" />
    </ZoomButton>
    <ZoomButton label="Zoom out" onClick={() => zoomBy(0.5)}>
      <Minus aria-hidden="true" className="size-4" />
    </ZoomButton>
  </div>
)

/** Returns the counts of a shade, up to where the next one begins. */
function rangeText(start: number, next: number | undefined, isMore: boolean): string {
  if (next === undefined || isMore) return formatCount(start, true)
  return next - 1 > start ? `${formatCount(start)}–${formatCount(next - 1)}` : formatCount(start)
}

const ZoomButton = ({
  label,
  onClick,
  children,
}: {
  label: string
  onClick: () => void
  children: ReactNode
}) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    onClick={onClick}
    className="grid size-9 place-items-center rounded-lg border border-line bg-surface hover:bg-sunken max-lg:size-11"
  >
    {children}
  </button>
)

const TextButton = ({ onClick, children }: { onClick: () => void; children: string }) => (
  <button type="button" onClick={onClick} className="rounded font-medium text-accent hover:underline">
    {children}
  </button>
)

/** Filters by the visible area, or resets the map to the whole country. */
export const AreaButtons = ({ filter, reset }: { filter: () => void; reset: () => void }) => (
  <div className="flex flex-wrap gap-x-4 print:hidden">
    <TextButton onClick={filter}>Filter to this area</TextButton>
    <TextButton onClick={reset}>Whole country</TextButton>
  </div>
)
