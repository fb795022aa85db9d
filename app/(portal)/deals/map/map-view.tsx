'use client'

import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { useSettled } from '#app/ui/use-settled.ts'
import type { DealFilter } from '#server/deals/find/wire.ts'
import type { DealMap, DealPoints } from '#server/deals/map/wire.ts'
import { Country } from './country.tsx'
import { AreaButtons, Legend, ZoomButtons } from './map-buttons.tsx'
import { type Level, type NearView, nameOfLevel } from './places.ts'
import { Points } from './points.tsx'
import { shadeStarts } from './shades.ts'
import { areaOf, boxOf, countyBox, isInBox, mapSize, outlineOf, pointOnMap, stateBox } from './shapes.ts'
import { boxOfView, useZoom } from './use-zoom.ts'

type Area = NonNullable<DealFilter['area']>

/** From this scale on deals are shown as points. */
const nearScale = 3

/** How long the view must be still before its deals are loaded. */
const restMs = 250

interface MapViewProps {
  map: DealMap
  level: Level
  /** The area of the filter. */
  area: Area | null
  points: DealPoints | null
  /** The id of the deal that is focused in the list. */
  marked: string | null
  goTo: (place: string | null) => void
  /** Called with the visible area; null when it is too large to load its deals. */
  onView: (view: NearView | null) => void
  onFilter: (area: Area) => void
}

/** Shows counties by how many deals they have, and deals when near. */
export function MapView({ map, level, area, points, marked, goTo, onView, onFilter }: MapViewProps) {
  const svg = useRef<SVGSVGElement>(null)
  const outline = useMemo(() => (area === null ? [] : outlineOf(area)), [area])
  const view = useMapView(svg, level, outline, onView)
  const { transform, isGuided, show } = view
  const [pointed, setPointed] = useState<string | null>(null)
  const starts = useMemo(() => shadeStarts(map.counties[0]?.count ?? 1), [map])
  const reset = () => {
    goTo(null)
    show(null)
  }
  const filterToView = () => {
    const seen = areaOf(boxOfView(transform))
    if (seen === null) return
    // From now on the map follows the filter.
    goTo(null)
    onFilter(seen)
  }
  return (
    <div onPointerLeave={() => setPointed(null)}>
      <div
        role="group"
        aria-label="Map of the deals. Arrow keys move it, plus and minus zoom, 0 shows the whole country. The list of places has the same figures."
        tabIndex={0}
        onKeyDown={(event) => onKey(event, { ...view, reset })}
        className="relative overflow-hidden focus-visible:-outline-offset-2"
      >
        <svg
          ref={svg}
          aria-hidden="true"
          viewBox={`0 0 ${mapSize.width} ${mapSize.height}`}
          className="block aspect-[975/610] w-full touch-pan-x touch-pan-y select-none"
        >
          <g
            style={{ transform: `translate(${transform.x}px, ${transform.y}px) scale(${transform.k})` }}
            className={isGuided ? 'transition-transform duration-300' : ''}
          >
            <Country
              map={map}
              starts={starts}
              isNear={level.kind !== 'country'}
              isFaint={transform.k >= nearScale}
              goTo={goTo}
              point={setPointed}
            />
            {outline.length > 0 && <Outline points={outline} />}
            {points !== null && transform.k >= nearScale && (
              <Points deals={points.deals} scale={transform.k} marked={marked} point={setPointed} />
            )}
          </g>
        </svg>
        <ZoomButtons zoomBy={view.zoomBy} />
      </div>
      <div className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-2">
        <Legend starts={starts} isMore={map.isMore} isFaint={transform.k >= nearScale} />
        <p className="min-w-0 flex-1 truncate font-medium tabular-nums print:hidden">{pointed}</p>
        {transform.k > 1 && <AreaButtons filter={filterToView} reset={reset} />}
      </div>
    </div>
  )
}

/** Returns the view of the map, which follows the place that it is turned to and the area of the filter. */
function useMapView(
  svg: RefObject<SVGSVGElement | null>,
  level: Level,
  outline: [number, number][],
  onView: MapViewProps['onView'],
) {
  const zoom = useZoom(svg)
  const { transform, show } = zoom
  const boxes = {
    country: () => boxOf(outline),
    state: stateBox,
    county: (_: string, id: string) => countyBox(id),
  }
  const name = nameOfLevel(level)
  const countyId = level.kind === 'county' ? level.county.id : ''
  useEffect(() => {
    show(boxes[level.kind](name ?? '', countyId))
    // Only another place or area moves the view.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [level.kind, name, countyId, outline, show])
  const rested = useSettled(transform, restMs)
  useEffect(() => {
    const box = boxOfView(rested)
    const area = rested.k < nearScale ? null : areaOf(box)
    onView(
      area && { area, shows: ({ longitude, latitude }) => isInBox(pointOnMap(longitude, latitude), box) },
    )
  }, [rested, onView])
  return zoom
}

const Outline = ({ points }: { points: [number, number][] }) => (
  <path
    d={`M${points.map((point) => point.join()).join('L')}Z`}
    fill="none"
    stroke="var(--ink)"
    strokeWidth="1.5"
    strokeDasharray="5 4"
    vectorEffect="non-scaling-stroke"
    pointerEvents="none"
  />
)

/** Moves the map by keys. */
function onKey(
  event: KeyboardEvent,
  map: {
    zoomBy: (factor: number) => void
    moveBy: (across: number, down: number) => void
    reset: () => void
  },
): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const actions: Record<string, () => void> = {
    '+': () => map.zoomBy(2),
    '=': () => map.zoomBy(2),
    '-': () => map.zoomBy(0.5),
    '0': map.reset,
    ArrowLeft: () => map.moveBy(-0.2, 0),
    ArrowRight: () => map.moveBy(0.2, 0),
    ArrowUp: () => map.moveBy(0, -0.2),
    ArrowDown: () => map.moveBy(0, 0.2),
  }
  const action = actions[event.key]
  if (action === undefined) return
  event.preventDefault()
  action()
}
