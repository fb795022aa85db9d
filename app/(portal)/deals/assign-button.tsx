'use client'

import { Button } from '#app/ui/button.tsx'
import { lazyPart } from '#app/ui/lazy-part.ts'
import { Popover, PopoverLoading } from '#app/ui/popover.tsx'

// Loaded when first opened.
const Colleagues = lazyPart(
  () => import('./colleagues.tsx').then((module) => module.Colleagues),
  PopoverLoading,
)

/** A button that assigns deals to a colleague; `current` is their common assignee, null for nobody. */
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
