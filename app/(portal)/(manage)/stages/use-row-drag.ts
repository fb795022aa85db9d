import {
  type CSSProperties,
  type ComponentProps,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { type Box, clampDrag, indexAt, shiftOf } from './rows.ts'

/** A lifted row and its possible positions. */
interface Lifted {
  name: string
  names: string[]
  boxes: Box[]
  from: number
  to: number
  /** Where the pointer started and how far it has moved, in pixels of the page; null if keys lifted it. */
  pointer: { startY: number; dragged: number } | null
}

/** A handle's actions on its row. */
interface Moves {
  lift: (startY: number | null) => void
  /** The pointer is at this height of the window. */
  follow: (clientY: number) => void
  step: (by: -1 | 1) => void
  drop: () => void
  cancel: () => void
}

/**
 * Moves rows by a handle: with a pointer, or with Space, the arrow keys and Escape. `namesOf` returns the
 * names among which a row moves, and `onDrop` is called with its new index among them. Returns the props of
 * each row and handle, and the screen reader announcement.
 */
export function useRowDrag(
  namesOf: (name: string) => string[],
  onDrop: (name: string, index: number) => void,
  isBusy: boolean,
) {
  const [lifted, setLifted] = useState<Lifted | null>(null)
  const [spoken, setSpoken] = useState('')
  const rows = useRef(new Map<string, HTMLElement>())
  const { handles, focusSoon } = useFocusAfterMove(lifted !== null)
  const follow = useEdgeScroll(lifted !== null && lifted.pointer !== null, (pageY) =>
    setLifted((held) => held && dragTo(held, pageY)),
  )

  const end = (text: string) => {
    setLifted(null)
    setSpoken(text)
  }
  const movesOf = (name: string): Moves => ({
    lift(startY) {
      if (isBusy) return
      const held = liftRow(name, namesOf(name), rows.current, startY)
      setLifted(held)
      setSpoken(`${name} lifted, ${placeText(held)}. Arrow keys move it, Space drops it, Escape cancels.`)
    },
    follow,
    step(by) {
      if (lifted === null) return
      const held = { ...lifted, to: Math.min(lifted.names.length - 1, Math.max(0, lifted.to + by)) }
      setLifted(held)
      setSpoken(`${name}, ${placeText(held)}.`)
      rows.current.get(held.names[held.to]!)?.scrollIntoView({ block: 'nearest' })
    },
    drop() {
      if (lifted === null) return
      end(`${name} dropped, ${placeText(lifted)}.`)
      focusSoon(name)
      if (lifted.to !== lifted.from) onDrop(name, lifted.to)
    },
    cancel() {
      if (lifted !== null) end(`Move canceled. ${name} is ${placeText({ ...lifted, to: lifted.from })}.`)
    },
  })

  return {
    spoken,
    rowProps: (name: string) => ({
      ref: refIn(rows.current, name),
      style: lifted === null ? {} : lookOf(lifted, name),
    }),
    handleProps: (name: string): ComponentProps<'button'> => ({
      ref: refIn(handles.current, name),
      'aria-disabled': isBusy || undefined,
      ...eventsOf(lifted?.name === name ? lifted : null, movesOf(name)),
    }),
  }
}

/**
 * Returns refs for focusable elements, and a function that focuses one after its row has moved in the
 * document.
 */
function useFocusAfterMove(isHeld: boolean) {
  const handles = useRef(new Map<string, HTMLElement>())
  const wanted = useRef<string | null>(null)
  useLayoutEffect(() => {
    if (wanted.current === null || isHeld) return
    handles.current.get(wanted.current)?.focus()
    wanted.current = null
  })
  return { handles, focusSoon: (name: string) => void (wanted.current = name) }
}

/** Within this distance of the window's edge, dragging scrolls the page. */
const edgePx = 72
const scrollPx = 10

function scrollAt(clientY: number): number {
  if (clientY < edgePx) return -scrollPx
  return clientY > window.innerHeight - edgePx ? scrollPx : 0
}

/**
 * Scrolls while the pointer is near an edge; calls `onMove` with its position on the page. Returns a function
 * that tracks the pointer.
 */
function useEdgeScroll(isActive: boolean, onMove: (pageY: number) => void): Moves['follow'] {
  const clientY: RefObject<number | null> = useRef(null)
  useEffect(() => {
    if (!isActive) return
    let frame = requestAnimationFrame(function scroll() {
      const by = clientY.current === null ? 0 : scrollAt(clientY.current)
      if (by !== 0) {
        window.scrollBy(0, by)
        onMove(clientY.current! + window.scrollY)
      }
      frame = requestAnimationFrame(scroll)
    })
    return () => {
      cancelAnimationFrame(frame)
      clientY.current = null
    }
  }, [isActive])
  return (y) => {
    clientY.current = y
    onMove(y + window.scrollY)
  }
}

function liftRow(
  name: string,
  names: string[],
  rows: ReadonlyMap<string, HTMLElement>,
  startY: number | null,
): Lifted {
  const boxes = names.map((each) => {
    const { top, height } = rows.get(each)!.getBoundingClientRect()
    return { top: top + window.scrollY, height }
  })
  const from = names.indexOf(name)
  return { name, names, boxes, from, to: from, pointer: startY === null ? null : { startY, dragged: 0 } }
}

function dragTo(held: Lifted, pageY: number): Lifted {
  if (held.pointer === null) return held
  const { startY } = held.pointer
  const dragged = clampDrag(held.boxes, held.from, pageY - startY)
  return { ...held, to: indexAt(held.boxes, held.from, dragged), pointer: { startY, dragged } }
}

const placeText = ({ to, names }: Pick<Lifted, 'to' | 'names'>) => `position ${to + 1} of ${names.length}`

/** Returns a row's style during a drag: lifted, or shifted to make room. */
function lookOf({ names, boxes, from, to, pointer, name }: Lifted, of: string): CSSProperties {
  const index = names.indexOf(of)
  if (index === -1) return {}
  const isHeld = of === name
  const shift = isHeld && pointer !== null ? pointer.dragged : shiftOf(boxes, from, to, index)
  const held = { position: 'relative', zIndex: 10, background: 'var(--surface)' } as const
  return { transform: `translateY(${shift}px)`, ...(isHeld && held) }
}

/** Returns a handle's event listeners; `held` is set if its row is being dragged. */
const eventsOf = (held: Lifted | null, moves: Moves): ComponentProps<'button'> => ({
  'aria-pressed': held !== null,
  onPointerDown(event) {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    event.currentTarget.focus()
    moves.lift(event.clientY + window.scrollY)
  },
  onPointerMove(event) {
    if (held?.pointer) moves.follow(event.clientY)
  },
  onPointerUp() {
    if (held?.pointer) moves.drop()
  },
  onPointerCancel: () => held && moves.cancel(),
  // A pointer has already lifted and dropped it.
  onClick({ detail }) {
    if (detail !== 0) return
    if (held === null) moves.lift(null)
    else moves.drop()
  },
  onKeyDown(event) {
    if (held === null) return
    if (event.key === 'Escape') moves.cancel()
    else if (event.key === 'ArrowUp' && held.pointer === null) moves.step(-1)
    else if (event.key === 'ArrowDown' && held.pointer === null) moves.step(1)
    else return
    event.preventDefault()
  },
  onBlur: () => held && moves.cancel(),
})

const refIn = (elements: Map<string, HTMLElement>, name: string) => (element: HTMLElement | null) => {
  if (element === null) elements.delete(name)
  else elements.set(name, element)
}
