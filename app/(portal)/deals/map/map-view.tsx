'use client'

import { select } from 'd3-selection'
import { type ZoomBehavior, type ZoomTransform, zoom, zoomIdentity } from 'd3-zoom'
import { Minus, Plus } from 'lucide-react'
import { type RefObject, useEffect, useMemo, useRef, useState, memo, useCallback } from 'react'
import { IconButton } from '#app/ui/button.tsx'
import { formatCountOf, formatDollars, formatSum, formatCount } from '#app/ui/format.ts'
import { useRouter } from '#app/ui/link.tsx'
import { useSettled } from '#app/ui/use-typed.ts'
import type { DealMap, DealPoints, DealPoint, DealFilter } from '#server/search/wire.ts'
import { dealTitle } from '../deal-text.ts'
import { type Level, type NearView, nameOfLevel } from './places.ts'
import {
  shadeStarts,
  faintOpacity,
  shadeColor,
  shadeOf,
  areaOf,
  boxOf,
  countyBox,
  isInBox,
  mapSize,
  outlineOf,
  pointOnMap,
  stateBox,
  countyBorders,
  countyShape,
  stateBorders,
  stateShapes,
  type Box,
} from './shapes.ts'

type Area = NonNullable<DealFilter['area']>

const nearScale = 3

const restMs = 250

interface MapViewProps {
  map: DealMap
  level: Level
  area: Area | null
  points: DealPoints | null
  goTo: (place: string | null) => void
  /** Called with the visible area, or null if the area is too large. */
  onView: (view: NearView | null) => void
  onFilter: (area: Area) => void
}

/** Shows the number of deals per county and, when zoomed in, individual deals. */
export function MapView({ map, level, area, points, goTo, onView, onFilter }: MapViewProps) {
  const svg = useRef<SVGSVGElement>(null)
  const outline = useMemo(() => (area === null ? [] : outlineOf(area)), [area])
  const view = useMapView(svg, level, outline, onView)
  const { transform, isGuided } = view
  const [pointed, setPointed] = useState<string | null>(null)
  const starts = useMemo(() => shadeStarts(map.counties[0]?.count ?? 0), [map])
  const filterToView = () => {
    const seen = areaOf(boxOfView(transform))
    if (seen === null) return
    // Make the map follow the filter.
    goTo(null)
    onFilter(seen)
  }
  return (
    <div onPointerLeave={() => setPointed(null)}>
      {/* The list of places has the same figures for keyboards and screen readers. */}
      <div className="relative overflow-hidden">
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
              <Points deals={points.deals} scale={transform.k} point={setPointed} />
            )}
          </g>
        </svg>
        <ZoomButtons zoomBy={view.zoomBy} />
      </div>
      <div className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-2">
        <Legend starts={starts} isMore={map.isMore} isFaint={transform.k >= nearScale} />
        <p className="min-w-0 flex-1 truncate font-medium tabular-nums print:hidden">{pointed}</p>
        {transform.k > 1 && (
          <button
            type="button"
            onClick={filterToView}
            className="rounded font-medium text-accent hover:underline print:hidden"
          >
            Filter to this area
          </button>
        )}
      </div>
    </div>
  )
}

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

interface CountryProps {
  map: DealMap
  /** Minimum number of deals for each shade. */
  starts: number[]
  /** True if a click on a county opens the county instead of its state. */
  isNear: boolean
  isFaint: boolean
  goTo: (place: string) => void
  /** Called with the label under the pointer, or null if there is none. */
  point: (text: string | null) => void
}

/** Shows the states, and the counties with deals. Does not re-render while the view moves. */
const Country = memo(function Country({ map, starts, isNear, isFaint, goTo, point }: CountryProps) {
  return (
    <>
      <States map={map} goTo={goTo} point={point} />
      <g opacity={isFaint ? faintOpacity : 1}>
        {map.counties.map((county) => {
          const d = countyShape(county.id)
          if (d === null) return null
          const total = formatCountOf(county.count, 'deal', map.isMore)
          const amount = map.isMore ? '' : ` · ${formatSum(county, formatDollars)}`
          return (
            <path
              key={county.id}
              d={d}
              fill={shadeColor(shadeOf(starts, county.count), starts.length)}
              onPointerEnter={() => point(`${county.place} · ${total}${amount}`)}
              onClick={() => goTo(isNear ? county.place : county.state)}
              className="cursor-pointer hover:opacity-80"
            />
          )
        })}
      </g>
      <Border d={countyBorders} stroke="var(--line)" width={0.5} />
      <Border d={stateBorders} stroke="var(--control)" width={1} />
    </>
  )
})

function States({ map, goTo, point }: Pick<CountryProps, 'map' | 'goTo' | 'point'>) {
  const withDeals = new Set(map.counties.map(({ state }) => state))
  return stateShapes.map(({ name, d }) => {
    const hasDeals = withDeals.has(name)
    return (
      <path
        key={name}
        d={d}
        fill="var(--sunken)"
        onPointerEnter={() => point(hasDeals ? name : `${name} · no deals`)}
        onClick={() => hasDeals && goTo(name)}
        className={hasDeals ? 'cursor-pointer' : ''}
      />
    )
  })
}

const Border = ({ d, stroke, width }: { d: string; stroke: string; width: number }) => (
  <path
    d={d}
    fill="none"
    stroke={stroke}
    strokeWidth={width}
    strokeLinejoin="round"
    vectorEffect="non-scaling-stroke"
    pointerEvents="none"
  />
)

const Legend = ({ starts, isMore, isFaint }: { starts: number[]; isMore: boolean; isFaint: boolean }) => (
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
            fill={shadeColor(shade, starts.length)}
            opacity={isFaint ? faintOpacity : 1}
          />
        </svg>
        {rangeText(start, starts[shade + 1], isMore)}
      </li>
    ))}
  </ul>
)

const zooms = [
  { icon: Plus, label: 'Zoom in', factor: 2 },
  { icon: Minus, label: 'Zoom out', factor: 0.5 },
]

const ZoomButtons = ({ zoomBy }: { zoomBy: (factor: number) => void }) => (
  <div className="absolute right-3 bottom-3 flex flex-col gap-1.5 print:hidden">
    {zooms.map(({ factor, ...button }) => (
      <IconButton
        key={button.label}
        {...button}
        title={button.label}
        onClick={() => zoomBy(factor)}
        className="size-9 rounded-lg border border-line bg-surface max-lg:size-11"
      />
    ))}
  </div>
)

function rangeText(start: number, next: number | undefined, isMore: boolean): string {
  if (next === undefined || isMore) return formatCount(start, true)
  return next - 1 > start ? `${formatCount(start)}–${formatCount(next - 1)}` : formatCount(start)
}

function Points({
  deals,
  scale,
  point,
}: {
  deals: DealPoint[]
  scale: number
  point: (text: string | null) => void
}) {
  const { push } = useRouter()
  const placed = useMemo(
    () => deals.map((deal) => ({ deal, at: pointOnMap(deal.longitude, deal.latitude) })),
    [deals],
  )
  return placed.map(
    ({ deal, at }) =>
      at !== null && (
        <circle
          key={deal.id}
          cx={at[0]}
          cy={at[1]}
          r={5 / scale}
          fill="var(--accent-strong)"
          stroke="var(--surface)"
          vectorEffect="non-scaling-stroke"
          onPointerEnter={() => point(pointText(deal))}
          onClick={() => push(`/deals/${deal.id}`)}
          className="cursor-pointer"
        />
      ),
  )
}

const pointText = (deal: DealPoint) =>
  [
    dealTitle({ ...deal, id: BigInt(deal.id) }),
    deal.stage,
    deal.amount === null ? null : formatDollars(deal.amount),
  ]
    .filter(Boolean)
    .join(' · ')

const { width, height } = mapSize
const scaleMax = 400

/** Returns true for gestures that zoom or pan. One finger or a plain mouse wheel scrolls the page instead. */
function isZoomGesture(event: MouseEvent | TouchEvent | WheelEvent): boolean {
  if ('touches' in event) return event.touches.length > 1
  if (event.type === 'wheel') return event.ctrlKey || event.metaKey
  return event.button === 0 && !event.ctrlKey
}

function useZoom(svg: RefObject<SVGSVGElement | null>) {
  const [{ transform, isGuided }, setView] = useState<{ transform: ZoomTransform; isGuided: boolean }>({
    transform: zoomIdentity,
    isGuided: false,
  })
  const behavior = useMemo<ZoomBehavior<SVGSVGElement, unknown>>(
    () =>
      zoom<SVGSVGElement, unknown>()
        .filter(isZoomGesture)
        .extent([
          [0, 0],
          [width, height],
        ])
        .translateExtent([
          [0, 0],
          [width, height],
        ])
        .scaleExtent([1, scaleMax])
        .on('zoom', (event: { transform: ZoomTransform; sourceEvent: Event | null }) =>
          setView({ transform: event.transform, isGuided: event.sourceEvent === null }),
        ),
    [],
  )
  useEffect(() => {
    const map = select(svg.current!)
    map.call(behavior)
    return () => void map.on('.zoom', null)
  }, [svg, behavior])

  const show = useCallback(
    (box: Box | null) => {
      const map = select(svg.current!)
      if (box === null) return void map.call(behavior.transform, zoomIdentity)
      const [[left, top], [right, bottom]] = box
      const scale = Math.min(150, 0.85 / Math.max((right - left) / width, (bottom - top) / height))
      const to = zoomIdentity
        .translate(width / 2, height / 2)
        .scale(Math.max(1, scale))
        .translate(-(left + right) / 2, -(top + bottom) / 2)
      map.call(behavior.transform, to)
    },
    [svg, behavior],
  )
  const zoomBy = (factor: number) => behavior.scaleBy(select(svg.current!), factor)
  return { transform, isGuided, show, zoomBy }
}

const boxOfView = (view: ZoomTransform): Box => [view.invert([0, 0]), view.invert([width, height])]
