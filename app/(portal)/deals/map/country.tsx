import { memo } from 'react'
import { formatCountOf, formatDollars } from '#app/ui/format.ts'
import type { DealMap } from '#server/deals/map/wire.ts'
import { faintOpacity, shadeColour, shadeOf } from './shades.ts'
import { countyBorders, countyShape, stateBorders, stateShapes } from './shapes.ts'

interface CountryProps {
  map: DealMap
  /** The fewest deals of each shade. */
  starts: number[]
  /** Whether a click on a county leads to it; otherwise to its state. */
  isNear: boolean
  /** Whether the shades are faint, behind points. */
  isFaint: boolean
  goTo: (place: string) => void
  /** Called with the label under the pointer, or null. */
  point: (text: string | null) => void
}

/** Shows the states, and the counties with deals. Does not change while the view moves. */
export const Country = memo(function Country({ map, starts, isNear, isFaint, goTo, point }: CountryProps) {
  return (
    <>
      <States map={map} goTo={goTo} point={point} />
      <g opacity={isFaint ? faintOpacity : 1}>
        {map.counties.map((county) => {
          const d = countyShape(county.id)
          if (d === null) return null
          const total = formatCountOf(county.count, 'deal', map.isMore)
          const amount = map.isMore ? '' : ` · ${formatDollars(county.amount)}`
          return (
            <path
              key={county.id}
              d={d}
              fill={shadeColour(shadeOf(starts, county.count), starts.length)}
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
