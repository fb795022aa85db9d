import { Command as Cmdk } from 'cmdk'
import type { ReactNode } from 'react'

/** The style of a line in the palette. */
export const paletteLine =
  'flex min-h-10 cursor-default items-center gap-3 rounded-lg px-3 py-1.5 select-none'

/** A selectable line of the palette, identified by `value`. */
export function PaletteItem({
  value,
  onSelect,
  children,
}: {
  value: string
  onSelect: () => void
  children: ReactNode
}) {
  return (
    <Cmdk.Item value={value} onSelect={onSelect} className={`${paletteLine} data-[selected=true]:bg-sunken`}>
      {children}
    </Cmdk.Item>
  )
}

/** A group of lines in the palette. */
export function PaletteSection({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Cmdk.Group
      heading={heading}
      className="**:[[cmdk-group-heading]]:px-3 **:[[cmdk-group-heading]]:pt-2 **:[[cmdk-group-heading]]:pb-1 **:[[cmdk-group-heading]]:text-xs **:[[cmdk-group-heading]]:font-medium **:[[cmdk-group-heading]]:text-ink-soft"
    >
      {children}
    </Cmdk.Group>
  )
}

/** Shows a message instead of results. */
export function PaletteNote({ children }: { children: ReactNode }) {
  return (
    <p role="status" className="px-3 py-6 text-center text-ink-soft">
      {children}
    </p>
  )
}
