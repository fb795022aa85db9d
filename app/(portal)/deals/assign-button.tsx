'use client'

import { Button } from '#app/ui/button.tsx'
import { lazyPart } from '#app/ui/lazy-part.ts'
import { Popover, PopoverLoading } from '#app/ui/popover.tsx'

// Load the colleagues when the menu first opens.
const Colleagues = lazyPart(
  () => import('./colleagues.tsx').then((module) => module.Colleagues),
  PopoverLoading,
)

/**
 * A button that assigns deals to a colleague. `current` is the assignee of all deals, or null if nobody is
 * assigned.
 */
export function AssignButton({
  ids,
  current,
  label,
  onAssigned,
}: {
  ids: string[]
  current?: number | null
  label: string
  onAssigned?: () => void
}) {
  return (
    <Popover
      label="Assign to"
      trigger={(props) => (
        <Button {...props} className="max-lg:min-h-11">
          {label}
        </Button>
      )}
    >
      {(close) => (
        <Colleagues
          ids={ids}
          current={current}
          onDone={() => {
            close()
            onAssigned?.()
          }}
        />
      )}
    </Popover>
  )
}
