import { select } from 'd3-selection'
import { type ZoomBehavior, type ZoomTransform, zoom, zoomIdentity } from 'd3-zoom'
import { type RefObject, useCallback, useEffect, useMemo, useState } from 'react'
import { type Box, mapSize } from './shapes.ts'

const { width, height } = mapSize
const scaleMax = 400

/** Returns whether an event zooms or pans: one finger and the wheel alone scroll the page. */
function isZoomGesture(event: MouseEvent | TouchEvent | WheelEvent): boolean {
  if ('touches' in event) return event.touches.length > 1
  if (event.type === 'wheel') return event.ctrlKey || event.metaKey
  return event.button === 0 && !event.ctrlKey
}

/** Zooms and pans a map by mouse, touch and `show`. */
export function useZoom(svg: RefObject<SVGSVGElement | null>) {
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

  /** Shows a box with some space around it; null shows the whole map. */
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
  /** Moves the view by shares of its size. */
  const moveBy = (across: number, down: number) =>
    behavior.translateBy(
      select(svg.current!),
      (-across * width) / transform.k,
      (-down * height) / transform.k,
    )
  return { transform, isGuided, show, zoomBy, moveBy }
}

/** Returns the part of the map that a view shows. */
export const boxOfView = (view: ZoomTransform): Box => [view.invert([0, 0]), view.invert([width, height])]
