'use client'

import type { DealsQuery } from '../use-deals-state.ts'
import { useResize } from './use-resize.ts'

/** Returns the widths of the columns that the user has resized, and the handlers that resize one. */
export function useWidths({ state, change }: Pick<DealsQuery, 'state' | 'change'>) {
  const { pulled, handle } = useResize((column, width) => {
    const { [column]: _, ...others } = state.widths ?? {}
    const widths = width === null ? others : { ...others, [column]: width }
    change({ widths: Object.keys(widths).length === 0 ? null : widths })
  })
  const widths = pulled === null ? (state.widths ?? {}) : { ...state.widths, [pulled.column]: pulled.width }
  return { widths, handle }
}
