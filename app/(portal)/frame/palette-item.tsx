import { Command as Cmdk } from 'cmdk'
import type { ReactNode } from 'react'

/** How a line of the palette looks. */
export const paletteLine =
  'flex min-h-10 cursor-default items-center gap-3 rounded-lg px-3 py-1.5 select-none'

/** A line of the palette that can be chosen; `value` is what tells it from the others. */
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

/** Lines of the palette that belong together. */
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

/** Says what there is instead of lines. */
export function PaletteNote({ children }: { children: ReactNode }) {
  return (
    <p role="status" className="px-3 py-6 text-center text-ink-soft">
      {children}
    </p>
  )
}
